// SPDX-License-Identifier: Apache-2.0

package rules_test

import (
	"testing"

	"github.com/dragoman-a2a/dragoman/apps/samples/repairshop/rules"
)

func TestReadCar(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]rules.Car{
		"My Toyota Camry 2018 rattles":           {Make: "Toyota", Model: "Camry", Year: 2018},
		"a 2015 Honda Civic, please":             {Make: "Honda", Model: "Civic", Year: 2015},
		"my vw golf from 2019":                   {Make: "Volkswagen", Model: "golf", Year: 2019},
		"the BMW is making a noise":              {Make: "BMW"},
		"a Ford rattles":                         {Make: "Ford"},
		"it was 1850 and 2150, part 2018000":     {},
		"my Toyota Corolla, not the Honda Civic": {Make: "Toyota", Model: "Corolla"},
		"hello there":                            {},
	} {
		if got := rules.ReadCar(text, rules.Car{}, false); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
	for text, want := range map[string]rules.Car{
		"Borgward Isabella 2005": {Make: "Borgward", Model: "Isabella", Year: 2005},
		"Toyota Camry":           {Make: "Toyota", Model: "Camry"},
		"2018":                   {Year: 2018},
	} {
		if got := rules.ReadCar(text, rules.Car{}, true); got != want {
			t.Errorf("%q, asked: %+v, want %+v", text, got, want)
		}
	}
	if got := rules.ReadCar("Camry", rules.Car{Make: "Toyota"}, true); got.Model != "Camry" {
		t.Errorf("%+v", got)
	}
}

func TestComplaint(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"it makes a RATTLING noise": "rattle", "the brakes squeak": "squeal", "my brakes grind": "grind",
		"the brakes are bad": "grind",
		"it won’t start":     "start", "it doesn't start any more": "start", "the check engine light is on": "light",
		"a puddle below it": "leak",
		"something knocks":  "clunk", "humming from the wheels": "hum", "it stalls": "rough", "it shakes": "rough",
		"hello": "", "a human": "",
	} {
		if got := rules.Complaint(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestAgrees(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"yes": "yes", "Yes, please": "yes", "OK": "yes", "sure": "yes", "please go ahead": "yes", "do it": "yes",
		"approved": "yes", "y": "yes",
		"no": "no", "No thanks": "no", "n": "no", "please don't": "no", "that is too expensive": "no",
		"do not do it": "no", "never mind": "no",
		"how much?": "", "": "", "nothing": "", "yesterday": "", "norway": "",
	} {
		agrees, clear := rules.Agrees(text)
		if agrees != (want == "yes") || clear != (want != "") {
			t.Errorf("%q: %t, %t, want %q", text, agrees, clear, want)
		}
	}
}

// The rules read every text without panicking, and their results are valid.
func FuzzRead(f *testing.F) {
	f.Add("My Toyota Camry 2018 is making a rattling noise")
	f.Add("the brakes squeal at the rear for two weeks, yes")
	f.Fuzz(func(t *testing.T, text string) {
		c := rules.ReadCar(text, rules.ReadCar(text, rules.Car{}, false), true)
		if c.Year != 0 && (c.Year < 1950 || c.Year > 2049) {
			t.Errorf("year %d", c.Year)
		}
		if id := rules.Complaint(text); id != "" && rules.Describe(id) == id {
			t.Errorf("complaint %q", id)
		}
		rules.Axle(text)
		rules.Agrees(text)
	})
}
