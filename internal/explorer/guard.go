package explorer

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
)

// NewToken returns a token that nobody can guess.
func NewToken() string {
	b := make([]byte, 32)
	_, _ = rand.Read(b) // it never fails
	return base64.RawURLEncoding.EncodeToString(b)
}

// guard lets requests pass that come from this machine, from our own page, and with the token of the opened URL or the cookie for it.
type guard struct {
	next   http.Handler
	token  string
	secret string // the value of the cookie
	mu     sync.Mutex
	used   bool // the token
}

func newGuard(token string, next http.Handler) *guard {
	return &guard{next: next, token: token, secret: NewToken()}
}

// policy lets the page load its own files only, and no other page show it in a frame.
const policy = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer") // the URL may have the token
	h.Set("Cache-Control", "no-store")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	if reason := foreign(r); reason != "" {
		fail(w, &failure{Status: http.StatusForbidden, Code: "foreign", Message: reason})
		return
	}
	if r.Method == http.MethodGet && r.URL.Path == "/" && r.URL.Query().Has("token") {
		g.admit(w, r)
		return
	}
	if !g.known(r) {
		fail(w, &failure{Status: http.StatusUnauthorized, Code: "token", Message: "this page opens with the link that motif explore printed, once",
			Hint: "start motif explore again, and open the new link"})
		return
	}
	g.next.ServeHTTP(w, r)
}

// foreign says why a request does not come from this machine and our own page; "" if it does. The name of the host must be ours: a page of
// another site may give its own name our address (DNS rebinding).
func foreign(r *http.Request) string {
	if remote, err := netip.ParseAddrPort(r.RemoteAddr); err != nil || !remote.Addr().Unmap().IsLoopback() {
		return "the explorer answers this machine only"
	}
	host, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		host, port = strings.Trim(r.Host, "[]"), "80"
	}
	if host != "127.0.0.1" && host != "localhost" && host != "::1" || port != localPort(r) {
		return "the explorer does not answer to the name " + r.Host + "; open the link that motif explore printed"
	}
	if origin := r.Header.Get("Origin"); r.Header["Origin"] != nil && origin != "http://"+r.Host {
		return "the explorer answers its own page only, not " + origin
	}
	if site := r.Header.Get("Sec-Fetch-Site"); strings.HasPrefix(r.URL.Path, "/api/") && site != "" && site != "same-origin" && site != "none" {
		return "the explorer answers its own page only"
	}
	return ""
}

// localPort returns the port at which a request has come in.
func localPort(r *http.Request) string {
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return ""
	}
	_, port, _ := net.SplitHostPort(addr.String())
	return port
}

// cookieName tells several explorers on one machine apart: cookies do not know ports.
func cookieName(r *http.Request) string { return "motif-explore-" + localPort(r) }

// known reports whether the request has our cookie.
func (g *guard) known(r *http.Request) bool {
	c, err := r.Cookie(cookieName(r))
	return err == nil && equal(c.Value, g.secret)
}

func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// admit takes the token once. It gives the browser a cookie instead, and sends it to the page.
func (g *guard) admit(w http.ResponseWriter, r *http.Request) {
	g.mu.Lock()
	fresh := !g.used && g.token != "" && equal(r.URL.Query().Get("token"), g.token)
	g.used = g.used || fresh
	g.mu.Unlock()
	switch {
	case fresh:
		http.SetCookie(w, &http.Cookie{Name: cookieName(r), Value: g.secret, Path: "/", HttpOnly: true, SameSite: http.SameSiteLaxMode})
	case !g.known(r):
		fail(w, &failure{Status: http.StatusUnauthorized, Code: "token", Message: "this link has been opened already, or is not the link that motif explore printed",
			Hint: "start motif explore again, and open the new link"})
		return
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
}
