// SPDX-License-Identifier: Apache-2.0

// Package currency is a sample agent that converts money: "100 USD in GBP", "how many yen is 5 dollars?", "$20 to EUR
// yesterday". It understands text by rules, unless a language model is given, and needs no network: the rates come from a
// bundled table of sample data unless another [Provider] is given.
//
// What happens to a message, file by file:
//
//	lex.go        text becomes tokens
//	when.go       tokens of dates become days
//	amount.go     tokens of numbers become amounts
//	mentions.go   codes, symbols and names become currencies; currencies.go lists them
//	parse.go      words such as "to" and "from" tell which currency is which: Parse returns a Request
//	dialogue.go   the Request fills what the conversation has left open: an answer, or a question (question.go)
//	model.go      in place of all that: a language model, with the rates as its tool
//	agent.go      the agent: a thin layer that turns outcomes into events of a task
//
// All numbers are exact decimals ([Decimal]). Answers name the day and the source of a rate.
package currency
