package report

import (
	"encoding/xml"
	"fmt"
	"strings"
)

// The elements of a JUnit report, as CI servers read them.
type (
	junitSuites struct {
		XMLName  xml.Name   `xml:"testsuites"`
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Errors   int        `xml:"errors,attr"`
		Suite    junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		File    string        `xml:"file,attr"`
		Failure *junitProblem `xml:"failure"`
		Error   *junitProblem `xml:"error"`
		Out     *junitText    `xml:"system-out"`
	}
	junitProblem struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",cdata"`
	}
	junitText struct {
		Text string `xml:",cdata"`
	}
)

// JUnit is the assessment as a JUnit report: a test case for each launch on each GPU.
// What was not assessed, and what cannot be read, is an error there; what was assessed
// and is not as it has to be a failure.
func (d *AssessmentDocument) JUnit() ([]byte, error) {
	name := "warpbound"
	if d.Name != "" {
		name += ": " + d.Name
	}
	s := junitSuite{Name: name, Tests: len(d.Cases)}
	for i := range d.Cases {
		c := d.junitCase(i)
		switch {
		case c.Error != nil:
			s.Errors++
		case c.Failure != nil:
			s.Failures++
		}
		s.Cases = append(s.Cases, c)
	}
	out, err := xml.MarshalIndent(junitSuites{Name: name, Tests: s.Tests, Failures: s.Failures, Errors: s.Errors, Suite: s}, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("writing JUnit: %w", err)
	}
	return append([]byte(xml.Header), append(out, '\n')...), nil
}

// junitCase is a case with all its errors as one failure: readers take but one.
func (d *AssessmentDocument) junitCase(i int) junitCase {
	c := &d.Cases[i]
	out := junitCase{Class: c.Launch, Name: c.Name(), File: c.Launch}
	index := int64(i)
	var errors, others []string
	var first *Finding
	for _, f := range d.findingsOf(&index) {
		if f.Level != LevelError {
			others = append(others, f.line(true))
			continue
		}
		if first == nil {
			first = &f
		}
		errors = append(errors, f.line(false))
	}
	out.Out = &junitText{strings.TrimSpace(c.verdictText(d) + strings.Join(others, "\n"))}
	if first == nil {
		return out
	}
	p := &junitProblem{Message: first.Message, Type: first.Rule, Text: strings.Join(errors, "\n")}
	if c.Verdict == VerdictInput || c.Verdict == VerdictNone {
		out.Error = p
	} else {
		out.Failure = p
	}
	return out
}
