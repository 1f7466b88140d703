package console

import (
	"net/url"

	"github.com/headgate-dev/headgate/core/auth"
)

// listPage is a list with the form that creates a record.
type listPage struct {
	Crumbs []link
	Title  string
	Head   []part // beside the title
	Parts  []part // above the list
	Table  *table // if nil, the page explains why it lacks a table
	Live   int    // seconds between refreshes of the list; 0: it is not refreshed
	After  []part // below the list
}

// recordPage is the page of one record.
type recordPage struct {
	Crumbs       []link
	Title, State string
	Head         []part // beside the title
	Parts        []part
}

// add appends parts.
func (p *recordPage) add(parts ...part) { p.Parts = append(p.Parts, parts...) }

// resource declares the pages of one kind of record: a list with a form that creates a record, and a page per record
// that changes and deletes it. create, update, remove and page are optional.
type resource[T any] struct {
	path, param string // for example "/budgets" and "id"
	title       string
	read, write auth.Permission
	intro       string
	empty       string
	columns     []column[T]
	key         func(T) string
	live        int
	list        func(r *request) (list[T], error)
	// feature is the licensed feature that the pages need, and unlicensed the text of the page without it. Optional.
	feature, unlicensed string
	// head returns the parts above the list, with or without a form; form returns the form that creates a record.
	head   func(r *request, p *listPage) error
	form   func(r *request) (part, error)
	create func(r *request, f *Form) error

	page   func(r *request) error
	update func(r *request, id string, f *Form) error
	remove func(r *request, id string) error
	told   string // after a removal
	// name returns the name that a removal asks to repeat. Optional: a removal is confirmed by a button alone.
	name func(r *request, id string) (string, error)
}

// mount mounts the pages.
func (s *resource[T]) mount(c *Console) {
	c.mountGet(s.path, s.read, s.showList)
	if s.create != nil {
		c.mountPost(s.path, s.write, handleForm(s.create, s.showList))
	}
	one := s.path + "/:" + s.param
	if s.page != nil {
		c.mountGet(one, s.read, s.page)
	}
	if s.update != nil {
		c.mountPost(one, s.write, handleForm(func(r *request, f *Form) error { return s.update(r, r.Param(s.param), f) }, s.page))
	}
	if s.remove != nil {
		s.mountRemoval(c, one+"/delete")
	}
}

func (s *resource[T]) mountRemoval(c *Console, path string) {
	remove := func(r *request) error {
		if err := s.remove(r, r.Param(s.param)); err != nil {
			return err
		}
		return r.redirectWithNotice(s.path, s.told)
	}
	if s.name == nil {
		c.mountPost(path, s.write, remove)
		return
	}
	c.mountTyped(path, s.write, func(r *request) (string, error) { return s.name(r, r.Param(s.param)) }, remove, s.page)
}

// showList answers with the list.
func (s *resource[T]) showList(r *request) error {
	p := &listPage{Title: s.title, Live: s.live}
	if s.intro != "" {
		p.Parts = append(p.Parts, part{"paragraph", s.intro})
	}
	if s.feature != "" && !r.isLicensed(s.feature) {
		p.Parts = append(p.Parts, part{"unlicensed", s.unlicensed})
		return r.show("list", s.title, p)
	}
	rows, err := s.list(r)
	if err != nil {
		return err
	}
	p.Table = newTable(r, s.columns, rows, s.key, s.empty)
	if s.head != nil {
		if err := s.head(r, p); err != nil {
			return err
		}
	}
	if s.form != nil && r.who.Can(s.write) {
		form, err := s.form(r)
		if err != nil {
			return err
		}
		p.After = append(p.After, form)
	}
	return r.show("list", s.title, p)
}

// nameByID is the name of a resource whose ids are names.
func nameByID(_ *request, id string) (string, error) { return id, nil }

// newTypedDeletion asks for the name of a record before it is deleted.
func (s *resource[T]) newTypedDeletion(r *request, id, name, opens, says string) part {
	return r.newTypedConfirmPart(confirmation{
		Opens: opens, Says: says, Action: s.path + "/" + url.PathEscape(id) + "/delete", Button: "Delete " + name,
	}, name)
}

// newDeletion asks for confirmation before a record is deleted.
func (s *resource[T]) newDeletion(id, opens, says, button string) part {
	return newConfirmPart(confirmation{
		Opens: opens, Says: says, Action: s.path + "/" + url.PathEscape(id) + "/delete", Button: button,
		Danger: true,
	})
}
