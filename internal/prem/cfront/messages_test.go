package cfront_test

import (
	"regexp"
	"testing"

	"github.com/warpbound/warpbound/internal/prem/cfront"
)

// Messages say what is refused in words of C, never of the parser's own parts.
func TestMessages(t *testing.T) {
	inside := regexp.MustCompile(`TODO|\*cc\.|internal|Expression[A-Z]`)
	for body, want := range map[string]string{
		"A[i] = nosuch + 1;":                     "m.c:3:42: undefined: nosuch",
		"A[i] = A.z;":                            "m.c:3:43: expected a struct or union: pointer to float",
		"A[i] = n % 1.0;":                        "m.c:3:44: operands shall have integer type: int and double",
		"A[i](2);":                               "m.c:3:35: expected pointer to function: float",
		"A[i]++ = 1;":                            "m.c:1:1: the type of an expression, or what is assigned to, cannot be determined (the C parser does not say where)",
		"1 = A[i];":                              "m.c:1:1: the type of an expression, or what is assigned to, cannot be determined (the C parser does not say where)",
		"A[i] = sq(2.0f);":                       "m.c:3:42: call of sq is not supported",
		"float w[4]; w[0] = 1;":                  "m.c:3:41: local array w is not supported",
		"while (n) A[i] = 1;":                    "m.c:3:35: while is not supported",
		"for (int j = 0; j < n; j++) { break; }": "m.c:3:65: break is not supported",
		"A[i] = (char)n;":                        "m.c:3:42: type char is not supported",
	} {
		_, err := cfront.Parse("m.c", "float sq(float);void f(int n, float A[restrict 100]) {\n#pragma omp target teams distribute parallel for\n  for (int i = 0; i < 100; i++) { "+body+" }\n}\n", nil)
		switch {
		case err == nil:
			t.Errorf("%s is accepted", body)
		case inside.MatchString(err.Error()) || err.Error() != want:
			t.Errorf("%s: %v, want %s", body, err, want)
		}
	}
}
