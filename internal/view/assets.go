package view

import (
	_ "embed" // the page
	"net/http"
)

//go:embed assets/index.html
var pageHTML []byte

//go:embed assets/page.js
var pageJS []byte

//go:embed assets/page.css
var pageCSS []byte

//go:embed assets/icon.svg
var pageIcon []byte

// asset is a part of the page.
type asset struct {
	path, kind string
	data       *[]byte
}

// assets are all parts: nothing else is served as a file.
var assets = []asset{
	{"/{$}", "text/html; charset=utf-8", &pageHTML},
	{"/page.js", "text/javascript; charset=utf-8", &pageJS},
	{"/page.css", "text/css; charset=utf-8", &pageCSS},
	{"/icon.svg", "image/svg+xml", &pageIcon},
}

func (a *asset) serve(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", a.kind)
	_, _ = w.Write(*a.data)
}
