// SPDX-License-Identifier: Apache-2.0

// Package expenses is a sample agent that reimburses expenses and shows how agents use forms: "Can you reimburse me $20
// for my lunch with the clients?" is answered with a form that knows what the sentence said. Whoever fills it may send
// data, JSON as text, lines such as "date: yesterday", or a sentence. What is wrong comes back with the form, field by
// field; what is right is approved; "never mind" withdraws the request.
//
// What happens to a message, file by file:
//
//	message.go   a message becomes a submission of the form, or a text
//	rules.go     a text becomes an action, by rules (amount.go, date.go, purpose.go)
//	model.go     or by a language model, which has a tool for each action
//	desk.go      the action is carried out on the requests of the conversation: the only place that approves anything
//	form.go      the form document and the receipt
//	agent.go     the agent: a thin layer that turns outcomes into events of a task
//
// A filled form is read by the same code with either engine: a model never decides whether money is paid.
package expenses
