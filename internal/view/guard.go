package view

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
)

// contentPolicy is what the page may do: load what this server has, and nothing else.
const contentPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

// headers of every answer, refusals included.
var headers = [][2]string{
	{"Content-Security-Policy", contentPolicy},
	{"X-Content-Type-Options", "nosniff"},
	{"X-Frame-Options", "DENY"},
	{"Referrer-Policy", "no-referrer"},
	{"Cross-Origin-Opener-Policy", "same-origin"},
	{"Cross-Origin-Resource-Policy", "same-origin"},
	{"Cache-Control", "no-store"},
}

// guarded lets requests through that read, that are made to the address itself and not to
// another name for it (DNS rebinding), that come from no other page, and that bring the
// token: in the URL of the page, which answers with a cookie, or in that cookie.
func guarded(next http.Handler, addr, token string) http.Handler {
	_, port, _ := net.SplitHostPort(addr)
	hosts := map[string]bool{addr: true, "localhost:" + port: true}
	cookie := "warpbound-" + port // cookies of one host are of all its ports
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, h := range headers {
			w.Header().Set(h[0], h[1])
		}
		if why := foreign(r, hosts); why != "" {
			http.Error(w, why, http.StatusForbidden)
			return
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "this page only reads, expected GET or HEAD", http.StatusMethodNotAllowed)
			return
		}
		given := ""
		if c, err := r.Cookie(cookie); err == nil {
			given = c.Value
		}
		if q := r.URL.Query(); r.URL.Path == "/" && q.Has("token") {
			given = q.Get("token")
		}
		if !same(given, token) {
			http.Error(w, "no token or a wrong one, expected the URL that warpbound view printed", http.StatusForbidden)
			return
		}
		if r.URL.Path == "/" {
			http.SetCookie(w, &http.Cookie{Name: cookie, Value: token, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
		}
		next.ServeHTTP(w, r)
	})
}

// foreign says why a request is not from the page itself or an address bar, "" where it is.
func foreign(r *http.Request, hosts map[string]bool) string {
	if !hosts[r.Host] {
		return "the request names another host, expected the address of this page"
	}
	if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host {
		return "the request comes from another page, expected this one"
	}
	site, mode := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Sec-Fetch-Mode")
	if (site == "cross-site" || site == "same-site") && (mode != "navigate" || r.URL.Path != "/") {
		return "the request comes from another page, expected this one"
	}
	return ""
}

// same compares in a time that says nothing of where two texts differ, or of their lengths.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}
