package cfront

import (
	"reflect"

	"github.com/warpbound/warpbound/internal/prem/loop"
)

// place gives all positions of a program that was parsed from the text those in the
// files.
func (u *unit) place(p *loop.Unit) {
	if u.moved {
		placer{u, make(map[uintptr]bool)}.walk(reflect.ValueOf(p))
	}
}

// placer walks values; a tree of statements has positions in nodes of every kind.
type placer struct {
	u    *unit
	seen map[uintptr]bool // pointers: variables and arrays are referred to from everywhere
}

var positionType = reflect.TypeFor[loop.Pos]()

func (w placer) walk(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		// Functions of math.h are the package's, not the program's.
		if v.IsNil() || w.seen[v.Pointer()] || v.Type() == reflect.TypeFor[*loop.MathFunc]() {
			return
		}
		w.seen[v.Pointer()] = true
		w.walk(v.Elem())
	case reflect.Interface:
		if !v.IsNil() {
			w.walk(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			w.walk(v.Index(i))
		}
	case reflect.Struct:
		if v.Type() == positionType {
			v.Set(reflect.ValueOf(w.u.at(v.Interface().(loop.Pos))))
			return
		}
		for i := range v.NumField() {
			w.walk(v.Field(i))
		}
	}
}
