// Package console serves the web application for administrators. The server renders all pages from templates; they work
// without scripts, and a small script keeps them current.
//
// Each area of the console (workspaces, keys, policies, costs ...) is a separate type that holds what its handlers need
// and mounts its pages. A handler calls an operation of admin.Service, so that permissions and workspaces are checked
// as in the API, and answers with
//
//	return r.show("plugins", "Plugins", data)                     a page
//	return r.finish(err, "/plugins", "Plugin removed.")           a redirect with a notice, or the error page
//	return err                                                    the error page
//
// A handler of a form is wrapped in submit, which shows the page again with the errors of a refused form.
//
// Most areas are lists of records with a form that creates one, and a page for each record. They are declared as a resource:
// columns, fields and operations. All of them share two templates, list.html and record.html, which draw the parts of
// parts.go.
//
//	resource.go    the declaration of a list and of the page of a record
//	table.go       columns and rows
//	formview.go    forms and filters; field.go and form.go: fields, values and errors
//	parts.go       facts, cards, links, states, confirmations
//
// Other pages have a template of their own name that defines "content". A live part of a page is a template named live-…: an
// element with that id and data-live="seconds" is refreshed by the script, which requests only that template and does not
// move what is being read.
package console
