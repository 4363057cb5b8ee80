package warpbound

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/warpbound/warpbound/internal/certificate"
	"github.com/warpbound/warpbound/internal/certify"
	"github.com/warpbound/warpbound/internal/method"
	"github.com/warpbound/warpbound/internal/report"
	"github.com/warpbound/warpbound/internal/version"
	"github.com/warpbound/warpbound/internal/witness"
	"github.com/warpbound/warpbound/isa"
)

// Certificate writes down why the bound by the method sum on the launch is one, so that
// [Certify], which shares no code with Analyze, can check it (docs/certificates.md). Its
// figure is at most that of the method, but where it does without facts whose places the
// checker does not find. There is none for a machine with a front end,
// turns of warps, or an enforced order of accesses, for RISC-V programs, and where sum
// was not asked for or gives no bound.
func (a *Analysis) Certificate(ctx context.Context) ([]byte, error) {
	r := a.whole
	if r.Question.Machine() != method.Plain {
		return nil, fmt.Errorf("a certificate is of a plain machine, expected no front end, no turns of warps and no enforced order of accesses")
	}
	if a.file.IsELF() {
		return nil, fmt.Errorf("%s: a certificate is of a kernel in PTX, expected no RISC-V program", a.file.Kernel)
	}
	if len(a.Sizes) > 0 {
		return nil, fmt.Errorf("a certificate is of one size of block, expected no range")
	}
	for i := range r.Whole().Bounds {
		if b := &r.Whole().Bounds[i]; b.Method == "sum" && b.Safe {
			c, err := witness.Of(ctx, r.Facts, b, witness.Options{})
			if err != nil {
				return nil, fmt.Errorf("certificate: %w", err)
			}
			return a.conclude(c)
		}
	}
	for _, no := range r.Whole().Refused {
		if no.Method == "sum" {
			return nil, fmt.Errorf("a certificate is of the bound by sum, of which there is none: %s", no.Reason)
		}
	}
	return nil, fmt.Errorf("a certificate is of the bound by sum, expected that method to be asked for")
}

// conclude names the files in a certificate and has the checker compute what follows.
func (a *Analysis) conclude(c *certificate.Certificate) ([]byte, error) {
	var files certify.Files
	named := func(path string, contents *[]byte) (out certificate.File, err error) {
		*contents, err = os.ReadFile(path)
		return certificate.File{File: path, SHA256: certificate.Hash(*contents)}, err
	}
	kernel, err := named(a.file.Kernel, &files.Kernel)
	if err != nil {
		return nil, err
	}
	c.Kernel = certificate.Kernel{File: kernel.File, SHA256: kernel.SHA256, Entry: a.Kernel}
	if a.file.Path != a.file.Kernel {
		launch, err := named(a.file.Path, &files.Launch)
		if err != nil {
			return nil, err
		}
		c.Launch = &launch
	}
	if facts := a.factsFile(); facts != "" && len(c.Limits) > 0 {
		facts, err := named(facts, &files.Facts)
		if err != nil {
			return nil, err
		}
		c.FactsFile = &facts
	}
	c.MadeBy = version.Get().Version
	if err := certify.Conclude(c, files); err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	return c.Encode()
}

// factsFile is the file of facts that is read beside the launch file, "" for none.
func (a *Analysis) factsFile() string {
	for _, f := range a.whole.Source.Facts {
		if name := f.Pos.File; name != "" && name != a.file.Path && filepath.Ext(name) != ".ff" {
			return name
		}
	}
	return ""
}

// CertifyOptions name the files that a certificate is checked against.
type CertifyOptions struct {
	Kernel string // PTX, "" for the file that the certificate names
	Launch string // launch file, likewise
	Facts  string // file of facts, likewise
}

// Certification is what is known of a certificate.
type Certification struct {
	// Refusal is "" where the certificate holds. Otherwise it says which inequality
	// fails, where, with its numbers, and what follows is what the certificate claims.
	Refusal string
	Kernel  string // entry
	GPU     string
	Method  string
	// AllInputs says that the bound is for all inputs, rather than one, which is
	// trusted.
	AllInputs bool
	// BlockCycles bound the slowest block alone, LaunchCycles the launch.
	BlockCycles, LaunchCycles int64
	Theorems                  string
	// Symbols, Expressions, Potentials and Neighbours count what was checked:
	// instructions with their timing, sets of paths, how long each takes from some times
	// on, and pairs of instructions that may follow each other.
	Symbols, Expressions, Potentials, Neighbours int
	Trusted                                      []string // what is not checked

	path string
}

// Holds says that everything that is checked was found right.
func (c *Certification) Holds() bool { return c.Refusal == "" }

// Report is what the command certify prints.
func (c *Certification) Report() (*Report, error) {
	return &Report{report.Certify(report.CertifyDocument{
		Certificate: c.path, Holds: c.Holds(), Refusal: c.Refusal, Kernel: c.Kernel, GPU: c.GPU, Method: c.Method, AllInputs: c.AllInputs,
		BlockCycles: c.BlockCycles, LaunchCycles: c.LaunchCycles, Theorems: c.Theorems,
		Symbols: c.Symbols, Expressions: c.Expressions, Potentials: c.Potentials, Neighbours: c.Neighbours, Trusted: c.Trusted,
	})}, nil
}

// Certify checks the certificate of a bound against the text of the kernel, the launch
// file and the description of the GPU that it contains. A certificate that does not hold
// is no error: see Refusal.
func Certify(path string, opt CertifyOptions) (*Certification, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	c, err := certificate.Read(data)
	if err != nil {
		return nil, &FileError{Pos: isa.Position{File: path}, Msg: err.Error()}
	}
	contents := func(given, named string) ([]byte, error) {
		if given == "" {
			given = named
		}
		text, err := os.ReadFile(given)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return text, nil
	}
	var files certify.Files
	if files.Kernel, err = contents(opt.Kernel, c.Kernel.File); err != nil {
		return nil, err
	}
	for _, x := range []struct {
		option, what, given string
		file                *certificate.File
		text                *[]byte
	}{{"Launch", "launch file", opt.Launch, c.Launch, &files.Launch}, {"Facts", "file of facts", opt.Facts, c.FactsFile, &files.Facts}} {
		switch {
		case x.file != nil:
			if *x.text, err = contents(x.given, x.file.File); err != nil {
				return nil, err
			}
		case x.given != "":
			return nil, &OptionError{Option: x.option, Value: x.given, Msg: "the certificate is of no " + x.what + ", expected none"}
		}
	}
	out := &Certification{
		Kernel: c.Kernel.Entry, GPU: c.GPU.Name, Method: c.Method, AllInputs: c.AllInputs, BlockCycles: c.Result.Block, LaunchCycles: c.Result.Launch,
		Theorems: strings.TrimPrefix(c.Result.Theorems, "docs/soundness.md, "), path: path,
	}
	found, err := certify.Check(c, files)
	if err != nil {
		out.Refusal = err.Error()
		return out, nil
	}
	out.Symbols, out.Expressions, out.Potentials, out.Neighbours, out.Trusted = found.Symbols, found.Nodes, found.Potentials, found.Pairs, found.Trusted
	return out, nil
}
