package exhaust

import "testing"

func FuzzParseSystem(f *testing.F) {
	for _, fx := range Fixtures() {
		f.Add(fx.Text)
	}
	for _, text := range []string{"", ";", "F0/1/0 | F1/2/3(0)", "3x F0/1/1 F0/1/1(0)", "F0/1/0(1)", "F-1/1/1", "99999999x F0/1/0"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseSystem(text)
		if err != nil {
			return
		}
		if err := s.Validate(); err != nil {
			t.Fatalf("%q: accepted, but %v", text, err)
		}
		back, err := ParseSystem(s.String())
		if err != nil || back.String() != s.String() {
			t.Fatalf("%q printed as %q and read back as %q, %v", text, s, back, err)
		}
	})
}
