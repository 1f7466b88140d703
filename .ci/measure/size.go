package main

import (
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"strings"
)

func countCoreFolders(t *tree) (int, []string) {
	seen := map[string]bool{}
	var folders []string
	for _, name := range t.names {
		parts := strings.Split(name, "/")
		if parts[0] == "core" && len(parts) > 2 && !seen[parts[1]] {
			seen[parts[1]] = true
			folders = append(folders, parts[1])
		}
	}
	return len(folders), folders
}

func countLines(folder string) func(*tree) (int, []string) {
	return func(t *tree) (n int, places []string) {
		for _, f := range t.files {
			if f.folder == folder && !f.test {
				n += countTextLines(f.text)
				places = append(places, fmt.Sprintf("%s: %d", f.name, countTextLines(f.text)))
			}
		}
		return n, places
	}
}

// countExported counts the exported types, functions, constants and variables of a package, without methods and fields.
func countExported(folder string) func(*tree) (int, []string) {
	return func(t *tree) (int, []string) {
		var names []string
		add := func(id *ast.Ident) {
			if id.IsExported() {
				names = append(names, id.Name)
			}
		}
		for _, f := range t.files {
			if f.folder != folder || f.test {
				continue
			}
			for _, d := range f.ast.Decls {
				switch d := d.(type) {
				case *ast.FuncDecl:
					if d.Recv == nil {
						add(d.Name)
					}
				case *ast.GenDecl:
					for _, s := range d.Specs {
						switch s := s.(type) {
						case *ast.TypeSpec:
							add(s.Name)
						case *ast.ValueSpec:
							for _, id := range s.Names {
								add(id)
							}
						}
					}
				}
			}
		}
		return len(names), []string{strings.Join(names, " ")}
	}
}

// countMethods finds the type with the most methods.
func countMethods(t *tree) (int, []string) {
	count := map[string]int{}
	for _, f := range t.files {
		if f.test {
			continue
		}
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil {
				continue
			}
			recv := fn.Recv.List[0].Type
			if star, ok := recv.(*ast.StarExpr); ok {
				recv = star.X
			}
			if generic, ok := recv.(*ast.IndexExpr); ok {
				recv = generic.X
			}
			if id, ok := recv.(*ast.Ident); ok {
				count[f.folder+"."+id.Name]++
			}
		}
	}
	most, places := 0, []string(nil)
	for name, n := range count {
		most = max(most, n)
		if n > 60 {
			places = append(places, fmt.Sprintf("%s: %d", name, n))
		}
	}
	return most, places
}

func countLongestFile(t *tree) (int, []string) {
	most, places := 0, []string(nil)
	for _, f := range t.files {
		if n := countTextLines(f.text); !f.test {
			most = max(most, n)
			if n > 300 {
				places = append(places, fmt.Sprintf("%s: %d", f.name, n))
			}
		}
	}
	return most, places
}

func countReadme(t *tree) (int, []string) {
	text, err := os.ReadFile(filepath.Join(t.root, "README.md"))
	if err != nil {
		return 1 << 20, []string{err.Error()}
	}
	return countTextLines(string(text)), nil
}

func countScreenshots(t *tree) (int, []string) {
	var pictures []string
	for _, name := range t.names {
		switch strings.ToLower(filepath.Ext(name)) {
		case ".webp", ".png", ".jpg", ".jpeg", ".gif":
			if strings.HasPrefix(name, "docs/") {
				pictures = append(pictures, name)
			}
		}
	}
	return len(pictures), pictures
}

func countExamples(t *tree) (n int, places []string) {
	for _, f := range t.files {
		if !f.test {
			continue
		}
		for _, d := range f.ast.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Example") && strings.Contains(f.text, "Output:") {
				n++
				places = append(places, f.name+": "+fn.Name.Name)
			}
		}
	}
	return n, places
}
