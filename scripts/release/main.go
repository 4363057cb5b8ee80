// Command release writes the archives of a release into a folder: for each platform a static
// binary with completions, manual pages, license and a list of what it is made of, and the
// archives' checksums. Two runs on one commit give the same bytes: paths are trimmed, and
// every time is that of the commit.
//
//	go run ./scripts/release                          # all platforms, into dist/
//	go run ./scripts/release -targets linux/amd64 -twice   # made twice and compared: CI's dry run
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"debug/elf"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/warpbound/warpbound/internal/version"
)

const platforms = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"

func main() {
	targets := flag.String("targets", platforms, "platforms, separated by commas")
	out := flag.String("o", "dist", "folder to write, emptied before")
	twice := flag.Bool("twice", false, "make everything a second time in a temporary folder, and fail where the bytes differ")
	dirty := flag.Bool("dirty", false, "also with changes that are not committed")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *out, strings.Split(*targets, ","), *twice, *dirty); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		stop()
		os.Exit(1)
	}
}

// commit is what is released.
type commit struct {
	hash string
	time time.Time
}

func run(ctx context.Context, out string, targets []string, twice, dirty bool) error {
	c, err := head(ctx, dirty)
	if err != nil {
		return err
	}
	sums, err := release(ctx, out, targets, c)
	if err != nil {
		return err
	}
	os.Stdout.Write(sums)
	if !twice {
		return nil
	}
	again, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(again)
	other, err := release(ctx, filepath.Join(again, "dist"), targets, c)
	if err != nil {
		return err
	}
	if !bytes.Equal(sums, other) {
		return fmt.Errorf("the second run made other bytes:\n%s", other)
	}
	fmt.Println("made twice: the same bytes")
	return nil
}

// head is the commit that is checked out; without dirty nothing may be changed since.
func head(ctx context.Context, dirty bool) (commit, error) {
	if status, err := output(ctx, nil, "git", "status", "--porcelain"); err != nil {
		return commit{}, err
	} else if status != "" && !dirty {
		return commit{}, fmt.Errorf("changes that are not committed, expected none (or -dirty):\n%s", status)
	}
	text, err := output(ctx, nil, "git", "show", "-s", "--format=%H %ct", "HEAD")
	if err != nil {
		return commit{}, err
	}
	hash, seconds, _ := strings.Cut(text, " ")
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return commit{}, fmt.Errorf("git show: %q, expected a hash and a time", text)
	}
	return commit{hash, time.Unix(n, 0).UTC()}, nil
}

// release writes the archives and SHA256SUMS, and returns the latter.
func release(ctx context.Context, out string, targets []string, c commit) ([]byte, error) {
	tmp, err := os.MkdirTemp("", "release")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	if err := os.RemoveAll(out); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return nil, err
	}
	common, err := documents(ctx, tmp, c)
	if err != nil {
		return nil, err
	}
	var sums bytes.Buffer
	for _, target := range targets {
		system, arch, ok := strings.Cut(target, "/")
		if !ok {
			return nil, fmt.Errorf("target %q: expected a platform such as linux/amd64", target)
		}
		name := fmt.Sprintf("warpbound_%s_%s_%s", version.Release, system, arch)
		binary := filepath.Join(tmp, name)
		if err := build(ctx, binary, system, arch); err != nil {
			return nil, err
		}
		program, err := os.ReadFile(binary)
		if err != nil {
			return nil, err
		}
		info, err := buildinfo.ReadFile(binary)
		if err != nil {
			return nil, err
		}
		bom, err := sbom(info, c)
		if err != nil {
			return nil, err
		}
		files := append([]file{{"sbom.cdx.json", 0o644, bom}}, common...)
		pack, ending, executable := tarball, ".tar.gz", "warpbound"
		if system == "windows" {
			pack, ending, executable = zipped, ".zip", "warpbound.exe"
		}
		archive, err := pack(name, append(files, file{executable, 0o755, program}), c.time)
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(out, name+ending), archive, 0o644); err != nil {
			return nil, err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(archive), name+ending)
	}
	return sums.Bytes(), os.WriteFile(filepath.Join(out, "SHA256SUMS"), sums.Bytes(), 0o644)
}

// build makes a static binary that knows its release.
func build(ctx context.Context, file, system, arch string) error {
	env := []string{"CGO_ENABLED=0", "GOOS=" + system, "GOARCH=" + arch, "GOFLAGS=", "GOAMD64=v1", "GOARM64=v8.0"}
	set := "-s -w -X github.com/warpbound/warpbound/internal/version.Version=" + version.Release
	if _, err := output(ctx, env, "go", "build", "-trimpath", "-ldflags", set, "-o", file, "./cmd/warpbound"); err != nil {
		return fmt.Errorf("%s/%s: %w", system, arch, err)
	}
	if system != "linux" {
		return nil
	}
	f, err := elf.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP || p.Type == elf.PT_DYNAMIC {
			return fmt.Errorf("%s/%s: the binary is dynamic", system, arch)
		}
	}
	return nil
}

// documents are the files that all archives have: completions and manual pages, as a binary
// for this machine writes them, and pages of the repository.
func documents(ctx context.Context, tmp string, c commit) ([]file, error) {
	binary := filepath.Join(tmp, "here")
	if runtime.GOOS == "windows" {
		binary += ".exe"
	}
	if err := build(ctx, binary, runtime.GOOS, runtime.GOARCH); err != nil {
		return nil, err
	}
	var files []file
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md", "CITATION.cff", "internal/milp/highs/LICENSE"} {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(name, "internal/") {
			name = "LICENSE.HiGHS"
		}
		files = append(files, file{name, 0o644, data})
	}
	for shell, name := range map[string]string{"bash": "warpbound.bash", "zsh": "_warpbound", "fish": "warpbound.fish", "powershell": "warpbound.ps1"} {
		text, err := output(ctx, nil, binary, "completion", shell)
		if err != nil {
			return nil, err
		}
		files = append(files, file{"completions/" + name, 0o644, []byte(text + "\n")})
	}
	pages, err := output(ctx, nil, binary, "man")
	if err != nil {
		return nil, err
	}
	for page := range strings.FieldsSeq(pages) {
		text, err := output(ctx, nil, binary, "man", page, "--date", c.time.Format(time.DateOnly))
		if err != nil {
			return nil, err
		}
		files = append(files, file{"man/man1/" + page, 0o644, []byte(text + "\n")})
	}
	return files, nil
}

// output runs a program and returns what it prints, without the newline at its end.
func output(ctx context.Context, env []string, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, stderr.Bytes())
	}
	return strings.TrimRight(string(text), "\n"), nil
}
