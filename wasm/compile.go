package wasm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"

	"github.com/headgate-dev/headgate/core"
)

// Limits of a compilation: wall-clock time, and CPU time, which does not depend on the load of the machine. The largest guest in the
// tests, a Go guest of 3.3 MB, takes 3 s.
const (
	compileTime    = 60 * time.Second
	compileCPUTime = 15 * time.Second
)

// compileMemory is the most memory, in bytes, that compiling may use: at most the free memory of the container divided by compileShare,
// and never less than minCompileMemory, below which no module compiles.
const (
	compileMemory    = 512 << 20
	minCompileMemory = 96 << 20
	compileShare     = 2 // divisor
)

// computeCompilerMemory returns the memory limit of a compilation, in bytes. free is the free memory in bytes, or 0 if
// unknown.
func computeCompilerMemory(free uint64) uint64 {
	if free == 0 {
		return compileMemory
	}
	return max(minCompileMemory, min(compileMemory, free/compileShare))
}

// CompileChild runs exe with args, the last of which is the cache directory, and
// writes the metered module to its standard input. The program must call
// CompileMain, which limits its memory and time. It is stopped after 60 s.
func CompileChild(ctx context.Context, exe string, args []string, module []byte) error {
	ctx, cancel := context.WithTimeout(ctx, compileTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe, args...)
	cmd.Stdin = bytes.NewReader(module)
	var said limitedBuffer
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.Env = []string{"GOMAXPROCS=1", "GOTRACEBACK=none"}
	cmd.WaitDelay = time.Second
	detachChild(cmd)
	// The kernel ends the child when the thread that started it exits, so keep that thread.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := cmd.Run()
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded), hasRunOutOfTime(cmd.ProcessState):
		return fmt.Errorf("took longer than %s, or more than %s of CPU time", compileTime, compileCPUTime)
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case said.Len() > 0:
		text := strings.ReplaceAll(said.String(), args[len(args)-1], "the cache")
		return fmt.Errorf("the compiling process ended with an error: %s", stripControls(text, 300))
	}
	return fmt.Errorf("the compiling process ended with an error: %w", core.RemovePath(err))
}

// limitedBuffer keeps the first bytes written and drops the rest.
type limitedBuffer struct{ bytes.Buffer }

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if room := 1024 - b.Len(); room > 0 {
		b.Buffer.Write(p[:min(len(p), room)])
	}
	return len(p), nil
}

// CompileMain is the child's entry point: it reads a metered module, compiles it and writes the result to the cache directory. It limits
// the memory of the whole process, so the process must do nothing else.
func CompileMain(ctx context.Context, dir string, stdin io.Reader) error {
	memory := computeCompilerMemory(readFreeMemory())
	if err := boundCompilation(memory, compileCPUTime); err != nil {
		return fmt.Errorf("bound what compiling takes: %w", err)
	}
	debug.SetMemoryLimit(int64(memory / 2))
	const most = 64 << 20 // metered code is a few times as large as its source module
	module, err := io.ReadAll(io.LimitReader(stdin, most+1))
	if err != nil {
		return fmt.Errorf("read the module: %w", err)
	}
	if len(module) > most {
		return errors.New("the module is too large")
	}
	cache, err := OpenCache(dir, Child{})
	if err != nil {
		return err
	}
	files, err := cache.open()
	if err != nil {
		return fmt.Errorf("open the cache: %w", err)
	}
	config := wazero.NewRuntimeConfigCompiler().
		WithMemoryLimitPages(MaxMemory / pageSize).
		WithDebugInfoEnabled(false).
		WithCompilationCache(files)
	r := wazero.NewRuntimeWithConfig(ctx, config)
	compiled, err := r.CompileModule(ctx, module)
	if err != nil {
		err = fmt.Errorf("compile: %s", stripControls(err.Error(), 200))
	} else {
		_ = compiled.Close(ctx)
	}
	return errors.Join(err, r.Close(ctx), files.Close(ctx))
}

// readRuntimeVersion returns the version of the Wasm runtime linked into this program.
func readRuntimeVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, d := range info.Deps {
			if d.Path == "github.com/tetratelabs/wazero" {
				return d.Version
			}
		}
	}
	return "dev"
}
