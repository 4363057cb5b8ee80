package highs

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// engine is the compiled module; instances share it.
type engine struct {
	runtime wazero.Runtime
	module  wazero.CompiledModule
}

// shared compiles the module once a process.
var shared = sync.OnceValues(func() (*engine, error) {
	wasm, err := unpack()
	if err != nil {
		return nil, err
	}
	return load(wasm, userCache())
})

// load compiles the module, from the cache where that works: an unusable cache
// is no reason to fail. nil is none.
func load(wasm []byte, disk *diskCache) (*engine, error) {
	if disk != nil {
		if cache := disk.open(); cache != nil {
			if e, err := compile(wasm, cache); err == nil {
				disk.seal()
				return e, nil
			}
			cache.Close(context.Background())
		}
	}
	return compile(wasm, wazero.NewCompilationCache())
}

func unpack() ([]byte, error) {
	zr, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("embedded module: %w", err)
	}
	wasm, err := io.ReadAll(zr)
	if err != nil {
		return nil, fmt.Errorf("embedded module: %w", err)
	}
	return wasm, nil
}

func compile(wasm []byte, cache wazero.CompilationCache) (*engine, error) {
	ctx := context.Background()
	// WithCloseOnContextDone stays off: its checks in every loop of the module
	// make HiGHS 2.6 times slower. The host functions stop it instead.
	config := wazero.NewRuntimeConfig().WithCompilationCache(cache)
	e := &engine{runtime: wazero.NewRuntimeWithConfig(ctx, config)}
	var err error
	if e.module, err = e.runtime.CompileModule(ctx, wasm); err == nil {
		err = e.bindImports(ctx)
	}
	if err != nil {
		e.runtime.Close(ctx)
		return nil, fmt.Errorf("compiling the embedded module: %w", err)
	}
	return e, nil
}

// bindImports instantiates the host module. The signatures come from the
// compiled module, the meaning of the minified names from the generated table.
func (e *engine) bindImports(ctx context.Context) error {
	meaning := make(map[string]string, len(importNames))
	for _, n := range importNames {
		meaning[n[0]] = n[1]
	}
	builder := e.runtime.NewHostModuleBuilder(importModule)
	for _, def := range e.module.ImportedFunctions() {
		module, name, _ := def.Import()
		fn, ok := hostFunctions[meaning[name]]
		if module != importModule || !ok {
			return fmt.Errorf("unknown import %s.%s", module, name)
		}
		builder.NewFunctionBuilder().WithGoModuleFunction(fn, def.ParamTypes(), def.ResultTypes()).Export(name)
	}
	_, err := builder.Instantiate(ctx)
	return err
}

// instantiate starts a fresh instance. ctx must hold a *sandbox.
func (e *engine) instantiate(ctx context.Context) (api.Module, error) {
	return e.runtime.InstantiateModule(ctx, e.module, wazero.NewModuleConfig().WithName("").WithStartFunctions(fnStart))
}
