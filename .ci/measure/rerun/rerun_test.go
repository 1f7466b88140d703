package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOnlyATestThatPassesWhenRunAgainIsForgiven(t *testing.T) {
	const once = "func once() bool { _, err := os.Stat(\"mark\"); os.WriteFile(\"mark\", nil, 0o600); return err != nil }\n"
	const many = "for i := range 7 { t.Run(\"s\", func(t *testing.T) { if first { t.Error(i) } }) }"
	for name, c := range map[string]struct {
		code   string
		flaky  string // "": it passes at once
		refuse string
	}{
		"passes":                           {"func TestA(t *testing.T) {}", "", ""},
		"fails once":                       {"func TestA(t *testing.T) { if once() { t.Error(1) } }\nfunc TestB(*testing.T) {}", "toy.TestA", ""},
		"fails once in a subtest":          {"func TestA(t *testing.T) { t.Run(\"s t\", func(t *testing.T) { if once() { t.Error(1) } }) }", "toy.TestA", ""},
		"fails twice":                      {"func TestA(t *testing.T) { t.Error(1) }", "", "exit status 1"},
		"fails in seven subtests":          {"func TestA(t *testing.T) { first := once(); " + many + " }", "", "7 tests failed"},
		"is not there when run again":      {"func TestMain(m *testing.M) { if c := m.Run(); once() { os.Exit(c) } }\nfunc TestA(t *testing.T) { if once() { t.Error(1) }; t.Skip() }", "", "not seen to pass"},
		"ends before its tests":            {"func TestMain(m *testing.M) { if once() { os.Exit(1) }; m.Run() }\nfunc TestB(t *testing.T) { t.Fatal() }", "", "none of its tests did"},
		"ends in the middle of a test":     {"func TestA(t *testing.T) { if once() { os.Exit(2) } }\nfunc TestB(t *testing.T) { t.Fatal() }", "", "nothing is run again"},
		"panics once":                      {"func TestA(t *testing.T) { if once() { panic(1) } }", "", "nothing is run again"},
		"quotes a data race of a program":  {"func TestA(t *testing.T) { if once() { t.Errorf(\"%q\", \"WARNING: DATA RACE\") } }", "", "DATA RACE"},
		"quotes a program that panicked":   {"func TestA(t *testing.T) { if once() { t.Error(\"  a stage panicked\") } }", "", "panicked"},
		"does not compile":                 {"func TestA(t *testing.T) { nothing() }", "", "nothing is run again"},
		"fails after its tests have ended": {"func TestMain(m *testing.M) { m.Run(); os.Exit(1) }\nfunc TestA(*testing.T) {}", "", "none of its tests did"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			write(t, filepath.Join(dir, "go.mod"), "module toy\n\ngo 1.26\n")
			write(t, filepath.Join(dir, "toy_test.go"), "package toy\n\nimport (\"os\"; \"testing\")\n\nvar _ = os.Exit\n\n"+once+c.code+"\n")
			t.Chdir(dir)
			t.Setenv("GOFLAGS", "")
			var out strings.Builder
			flaky, err := runTestsWithRetry([]string{"-vet=off"}, ".", &out, false)
			if c.refuse != "" {
				if err == nil || !strings.Contains(err.Error(), c.refuse) {
					t.Fatalf("error %v, want %q\n%s", err, c.refuse, out.String())
				}
				return
			}
			if err != nil || strings.Join(flaky, " ") != c.flaky {
				t.Fatalf("flaky %q, error %v\n%s", flaky, err, out.String())
			}
		})
	}
}

func TestATestThatHangsIsNamedWithWhereItHangs(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module toy\n\ngo 1.26\n")
	write(t, filepath.Join(dir, "toy_test.go"), "package toy\n\nimport \"testing\"\n\nfunc TestA(*testing.T) { waitForever() }\n\nfunc waitForever() { select {} }\n")
	t.Chdir(dir)
	t.Setenv("GOFLAGS", "")
	var out strings.Builder
	_, err := runTestsWithRetry([]string{"-vet=off", "-timeout=1s"}, ".", &out, false)
	if err == nil || !strings.Contains(err.Error(), "toy ended in the middle of TestA") {
		t.Fatalf("error %v", err)
	}
	if !strings.Contains(out.String(), "toy.waitForever") {
		t.Fatalf("the goroutine is missing in %s", out.String())
	}
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
