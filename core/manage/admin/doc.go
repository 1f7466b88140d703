// Package admin implements the operations on Headgate's records for the administrative API, the console and commands. It
// does not depend on HTTP; the package rest below it is the API.
//
// An operation is a method of its subject's type, which is reached from Service: svc.Prices().Create(...). It
//
//  1. calls allow with the permission that it needs and the tenant that the request names ("" if it names none), and
//     continues with the tenant that allow returns;
//  2. checks its input, and returns a core.Error that names the field and says what to write;
//  3. changes the store in one call. The callback receives the current record and refuses a record that the configuration
//     file manages (checkSource) and a version that is not current (Match.Check);
//  4. writes an audit event and wakes the gateway (Service.publishChange).
//
// It returns a view: a type of this package whose JSON is that of the API, in the spelling of the specification, without
// secrets. Lists are a List: a sequence that is sent while it is read, with a cursor for each element.
//
// A record has at most three types: the record of the store (store.BudgetRecord), the view (Budget) and the change
// (BudgetChange). Where fields cannot be changed later, a New type embeds the change and adds them (NewBudget).
package admin
