package importtool

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/headgate-dev/headgate/core"
)

// formatFile returns the configuration file.
func (r *result) formatFile(source string) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Made by `headgate import %s`. Check it with `headgate validate --config FILE`.\n", source)
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(&r.out); err != nil {
		return nil, err
	}
	return b.Bytes(), e.Close()
}

// formatEnvironment returns the file of variables: one line each, and above it the field that needs it.
func (r *result) formatEnvironment() []byte {
	var b bytes.Buffer
	b.WriteString("# Variables of the configuration. Fill in those without a value. For a shell (set -a; . FILE) and for " +
		"EnvironmentFile= of systemd.\n")
	for _, v := range r.vars.listByName() {
		text, ok := quoteShell(v.value)
		fmt.Fprintf(&b, "# %s\n", v.path)
		if !ok {
			b.WriteString("# The value has several lines: set it yourself.\n")
		}
		fmt.Fprintf(&b, "%s=%s\n", v.name, text)
	}
	return b.Bytes()
}

// buildEnvironmentPath returns the path of the file of variables beside a configuration file.
func buildEnvironmentPath(path string) string {
	for _, end := range []string{".yaml", ".yml"} {
		if rest, ok := strings.CutSuffix(path, end); ok {
			return rest + ".env"
		}
	}
	return path + ".env"
}

// write creates both files. It replaces none. The file of variables can only be read by its owner.
func (r *result) write(path, source string) error {
	text, err := r.formatFile(source)
	if err != nil {
		return err
	}
	if err := createFile(path, text, 0o644); err != nil {
		return err
	}
	if len(r.vars.byName) == 0 {
		return nil
	}
	return createFile(buildEnvironmentPath(path), r.formatEnvironment(), 0o600)
}

func createFile(path string, text []byte, mode os.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		if os.IsExist(err) {
			return fmt.Errorf("%s already exists: choose another name for --out, or move the file away", path)
		}
		return fmt.Errorf("%s: %w", path, core.RemovePath(err))
	}
	_, err = f.Write(text)
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, core.RemovePath(err))
	}
	return nil
}

// readSource reads at most one byte more than is allowed.
func readSource(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, core.RemovePath(err)
	}
	defer func() { _ = f.Close() }() // only read from
	data, err := io.ReadAll(io.LimitReader(f, maxSource+1))
	if err != nil {
		return nil, core.RemovePath(err)
	}
	return data, nil
}
