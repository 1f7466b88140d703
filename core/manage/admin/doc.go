// Package admin holds the operations on Headgate's records: what the administrative API, the console and commands do. It
// knows nothing of HTTP; package rest beside it is the API over it.
//
// An operation is a method of its subject's type, which is reached from Service: svc.Prices().Create(...). It
//
//  1. asks allow, with the permission that it needs and the tenant that the request names ("" when it names none), and
//     goes on with the tenant that allow answers;
//  2. checks its input, and answers a core.Error that names the field and says what to write;
//  3. changes the store in one call, whose callback gets the record as it is: there it refuses a record of the
//     configuration file (changeable) and a version that is no longer current (Match.Check);
//  4. writes an audit event and wakes the gateway (Service.changed).
//
// What it returns is a view: a type of this package whose JSON is the API's, field by field as the specification spells
// it, and never a secret. Lists are a List: a sequence that is read as it is sent, with a cursor for each element.
//
// It imports core, core/auth, core/records/store and others below it.
package admin
