// SPDX-License-Identifier: Apache-2.0

// Package currency is a sample agent that converts money: "100 USD in GBP", "5 euros in yen and pounds". It needs no
// network: the rates come from a bundled table of sample data unless another [Provider] is given.
//
//	agent.go        the agent: reads a message, asks for what is missing, answers with text and data
//	convert.go      computes and words a conversion
//	rates.go        the contract of providers; snapshot.go and frankfurter.go are the two
//	model.go        lets a language model understand the message, with the rates as its tool
//	rules/          stands in for the language model: short requests in known words, and nothing else
//
// All numbers are exact decimals ([Decimal]). Answers name the day and the source of a rate.
package currency
