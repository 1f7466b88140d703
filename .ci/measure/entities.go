package main

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
)

// ownType begins the line of a doc comment that says why a further type of an entity exists.
const ownType = "// Its own type: "

// A structType is a struct of the tree with the fields that it declares, not those of types that it embeds.
type structType struct {
	folder, name string
	fields       map[string]bool
	embeds       []string
	reason       bool
}

func (s *structType) formatName() string {
	return s.folder[strings.LastIndexByte(s.folder, '/')+1:] + "." + s.name
}

// entityNames are those of entities whose record has another name, or no table.
var entityNames = map[string]string{
	"policydoc.Record": "policy", "store.BudgetRecord": "budget", "store.PriceRecord": "price", "store.ChargebackRecord": "chargeback",
	"store.ProviderCredential": "credential", // part of a provider's row
}

// countEntityTypes finds the stored entity of which the most types exist: the record itself, and each type of its name that
// repeats three of its fields, or embeds one that does, and does not say why.
func countEntityTypes(t *tree) (int, []string) {
	records, all := readStructs(t)
	names := make([]string, len(records))
	for i, record := range records {
		if names[i] = entityNames[record.formatName()]; names[i] == "" {
			names[i] = strings.ToLower(record.name)
		}
	}
	most, places := 0, []string(nil)
	for i, record := range records {
		n, forms := 1, []string{record.formatName()}
		for _, s := range listForms(record, names[i], names, all) {
			form := s.formatName()
			if s.reason {
				form += " (says why)"
			} else {
				n++
			}
			forms = append(forms, form)
		}
		most = max(most, n)
		places = append(places, fmt.Sprintf("%d of %s", n, strings.Join(forms, ", ")))
	}
	slices.SortFunc(places, func(a, b string) int { return strings.Compare(b, a) })
	return most, places
}

// listForms returns the types that hold the fields of a record, without those that the record embeds.
func listForms(record *structType, entity string, entities []string, all []*structType) (list []*structType) {
	fields := map[string]bool{}
	held := collectFields(record, all, fields)
	for found := true; found; {
		found = false
		for _, s := range all {
			if !slices.Contains(held, s) && findEntity(s.name, entities) == entity && isForm(s, fields, list) {
				held, list, found = append(held, s), append(list, s), true
			}
		}
	}
	return list
}

// findEntity returns the longest name of an entity in a type's name, or "".
func findEntity(name string, entities []string) (longest string) {
	for _, entity := range entities {
		if len(entity) > len(longest) && strings.Contains(strings.ToLower(name), entity) {
			longest = entity
		}
	}
	return longest
}

// isForm reports whether a type repeats fields of a record, or embeds one of the forms of its package that do. A row of the
// console that embeds what the API shows repeats nothing.
func isForm(s *structType, fields map[string]bool, forms []*structType) bool {
	same := 0
	for name := range s.fields {
		if fields[name] {
			same++
		}
	}
	return same >= 3 || slices.ContainsFunc(forms, func(f *structType) bool {
		return f.folder == s.folder && slices.Contains(s.embeds, f.formatName())
	})
}

// collectFields adds the fields of a struct and of those that it embeds, which it returns.
func collectFields(s *structType, all []*structType, to map[string]bool) []*structType {
	held := []*structType{s}
	for name := range s.fields {
		to[name] = true
	}
	for _, embedded := range s.embeds {
		for _, other := range all {
			if other.formatName() == embedded {
				held = append(held, collectFields(other, all, to)...)
			}
		}
	}
	return held
}

// isOfEntities reports whether the structs of a folder count. Those of the configuration file do not: their names, defaults and
// comments make its schema, so that no other type can stand for them. Neither do the forms of other gateways' files.
func isOfEntities(folder string) bool {
	if folder == "core/config" || folder == "cmd/headgate/importtool" {
		return false
	}
	return strings.HasPrefix(folder, "core/") || strings.HasPrefix(folder, "cmd/headgate")
}

// readStructs returns the records of the store, and all structs of the gateway.
func readStructs(t *tree) (records, all []*structType) {
	names := map[string]bool{}
	for _, f := range t.files {
		if f.test || !isOfEntities(f.folder) {
			continue
		}
		pkg := f.ast.Name.Name
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if lit, ok := n.(*ast.CompositeLit); ok && f.folder == "core/records/store" {
				if generic, ok := lit.Type.(*ast.IndexExpr); ok && fmt.Sprint(generic.X) == "table" {
					names[formatType(generic.Index, pkg)] = true
				}
			}
			return true
		})
		for _, d := range f.ast.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range decl.Specs {
				if s := readStruct(spec, decl.Doc, f.folder, pkg); s != nil {
					all = append(all, s)
				}
			}
		}
	}
	for _, s := range all {
		if names[s.formatName()] || entityNames[s.formatName()] != "" {
			records = append(records, s)
		}
	}
	return records, all
}

func readStruct(spec ast.Spec, doc *ast.CommentGroup, folder, pkg string) *structType {
	typ, ok := spec.(*ast.TypeSpec)
	if !ok {
		return nil
	}
	body, ok := typ.Type.(*ast.StructType)
	if !ok {
		return nil
	}
	s := &structType{folder: folder, name: typ.Name.Name, fields: map[string]bool{}}
	if doc != nil {
		for _, line := range doc.List {
			s.reason = s.reason || strings.HasPrefix(line.Text, ownType)
		}
	}
	for _, field := range body.Fields.List {
		if len(field.Names) == 0 {
			s.embeds = append(s.embeds, formatType(field.Type, pkg))
		}
		for _, id := range field.Names {
			if name := normalizeField(id.Name); name != "" {
				s.fields[name] = true
			}
		}
	}
	return s
}

// normalizeField returns a field's name as entities share it: TenantID and Tenant, LimitUSD and Limit are the same. Times that
// every record has say nothing.
func normalizeField(name string) string {
	name = strings.ToLower(name)
	for _, tail := range []string{"id", "usd"} {
		if cut, ok := strings.CutSuffix(name, tail); ok && cut != "" {
			name = cut
		}
	}
	if name == "createdat" || name == "updatedat" {
		return ""
	}
	return name
}

// formatType returns a type's name with its package.
func formatType(x ast.Expr, pkg string) string {
	switch x := x.(type) {
	case *ast.StarExpr:
		return formatType(x.X, pkg)
	case *ast.SelectorExpr:
		return fmt.Sprint(x.X) + "." + x.Sel.Name
	}
	return pkg + "." + fmt.Sprint(x)
}
