// Package console is the web application over the control plane: pages that the server renders from templates, which work
// without scripts and are made live by a small one.
//
// A page is a file of this package with its handlers, and a template of the same name in templates/. Its handlers are
// mounted by a method of Console that lists them, which routes calls. A handler reads what it needs from a request, calls
// an operation of admin.Service, whose permissions and scopes hold here as they do for the API, and answers with
//
//	return r.show("keys", "Keys", data)           a page
//	return r.again("keys", "Keys", data, form, err) the page with what was wrong in its form
//	return r.done("/keys", "The key is revoked.") another page, after a change
//	return err                                    a page that says what was wrong
//
// A template defines "content". What it marks with data-live="seconds" is a template of its own whose name is the mark's
// id; the script asks for it alone, and puts it in place without moving what is read.
package console
