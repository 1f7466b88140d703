package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// classifyPath returns the kind of text of a file by its name.
func classifyPath(path string) string {
	base := filepath.Base(path)
	switch filepath.Ext(base) {
	case ".gz": // of Debian's documents, see readText
		if strings.HasPrefix(path, debianDocs) {
			return classifyPath(strings.TrimSuffix(path, ".gz"))
		}
		return ""
	case ".go":
		return "go"
	case ".py", ".pyi":
		return "python"
	case ".js", ".mjs", ".cjs", ".ts", ".tsx":
		return "javascript"
	case ".md", ".rst", ".mdx", ".markdown":
		return "markdown"
	case ".json", ".yaml", ".yml":
		return "json"
	case ".log":
		return "log"
	case ".sh", ".bash", ".txtar":
		return "shell"
	case ".txt", ".html":
		return "document"
	}
	for _, name := range []string{"copyright", "LICENSE", "CHANGE", "changelog", "README", "NEWS", "TODO", "FAQ"} {
		if strings.HasPrefix(base, name) {
			return "document"
		}
	}
	return ""
}

// unfit matches windows that are not kept: forms of keys, paths of a machine, and text about attacks.
var unfit = regexp.MustCompile(`PRIVATE KEY|AKIA|ghp_|xox[bp]-|sk-[a-zA-Z0-9]{8}|eyJ[a-zA-Z0-9]{8}|/root/|/work/|/tmp/|(?i)jailbreak|prompt injection|previous instructions`)

// free lists licences whose texts may be stored in the repository.
var free = regexp.MustCompile(`(?i)MIT License|Permission is hereby granted, free of charge|Apache License|Redistribution and use in source|ISC License|Permission to use, copy, modify|PYTHON SOFTWARE FOUNDATION|Mozilla Public License|Unlicense|CC0`)

// copyleft lists licences whose texts are not stored, even if the file also names a free licence.
var copyleft = regexp.MustCompile(`GPL|GNU|Artistic|Creative Commons|CC-BY`)

// isPermissive reports whether a copyright file of Debian names only free licences.
func isPermissive(path string) bool {
	b, err := os.ReadFile(path)
	return err == nil && free.Match(b) && !copyleft.Match(b)
}
