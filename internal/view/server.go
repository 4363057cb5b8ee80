package view

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"math"
	"net"
	"net/http"
	"strconv"
	"syscall"
	"time"

	"github.com/warpbound/warpbound"
)

// Options choose what Serve shows, and where.
type Options struct {
	// Path is a launch file, a JSON document, a C file with OpenMP target loops, or a
	// directory in which these are looked for.
	Path string
	// GPU and Settings are the description that the page begins with, as warpbound.GPU
	// takes them.
	GPU      string
	Settings []string
	// Port is that of the loopback interface, 0 for one that is free.
	Port int
	// Ready is called with the page's URL, token included, as soon as it is served.
	Ready func(url string)
}

// loopback are the addresses that are tried, one after the other.
var loopback = []string{"127.0.0.1", "::1"}

// Serve serves the page until the context ends, and gives the requests that are being
// answered then a moment to end. An error is of what was named, or of the port.
func Serve(ctx context.Context, o Options) error {
	if o.Port < 0 || o.Port > math.MaxUint16 {
		return &warpbound.OptionError{Option: "Port", Value: o.Port, Msg: fmt.Sprintf("expected 0 to %d", math.MaxUint16)}
	}
	s, err := newSite(o)
	if err != nil {
		return err
	}
	defer s.close()
	var l net.Listener
	var errs []error
	for _, host := range loopback {
		if l, err = (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort(host, strconv.Itoa(o.Port))); err == nil {
			break
		}
		errs = append(errs, err)
		if errors.Is(err, syscall.EADDRINUSE) {
			break // by another program: not to be served beside it
		}
	}
	if l == nil {
		return fmt.Errorf("no port to serve the page on: %w", errors.Join(errs...))
	}
	token := newToken()
	server := &http.Server{
		Handler:           guarded(s.handler(), l.Addr().String(), token),
		ReadHeaderTimeout: 5 * time.Second,
		MaxHeaderBytes:    16 << 10,
		BaseContext:       func(net.Listener) context.Context { return ctx },
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	if o.Ready != nil {
		o.Ready(fmt.Sprintf("http://%s/?token=%s", l.Addr(), token))
	}
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if err := server.Shutdown(last); err != nil {
		return errors.Join(server.Close())
	}
	return nil
}

// newToken draws what who asks for the page has to know: 256 random bits.
func newToken() string {
	var b [32]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return base64.RawURLEncoding.EncodeToString(b[:])
}
