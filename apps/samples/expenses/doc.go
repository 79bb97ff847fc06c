// SPDX-License-Identifier: Apache-2.0

// Package expenses is a sample agent that reimburses expenses and shows how agents use forms: "Can you reimburse me $20
// for my lunch with the clients?" is answered with a form that knows what the sentence said. The filled form may come
// as data, as JSON in a text, as lines such as "date: yesterday", or as a sentence. The agent returns a form with
// mistakes, field by field, and approves a right one; "never mind" withdraws the request.
//
//	agent.go     the agent: turns outcomes into events of a task
//	desk.go      carries actions out on the request of the task: the only place that approves anything
//	form.go      the form document and the receipt; message.go reads filled forms, check.go checks their fields
//	model.go     lets a language model read sentences, with a tool for each action
//	offline.go   reads sentences without one; rules/ stands in for the language model
//
// A filled form is read by the same code with and without a model: a model never decides whether money is paid.
package expenses
