// SPDX-License-Identifier: Apache-2.0

package repairshop

import "testing"

func TestReadCar(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Car{
		"My Toyota Camry 2018 rattles":           {"Toyota", "Camry", 2018},
		"a 2015 Honda Civic, please":             {"Honda", "Civic", 2015},
		"my vw golf from 2019":                   {"Volkswagen", "golf", 2019},
		"the BMW is making a noise":              {Make: "BMW"},
		"a Ford rattles":                         {Make: "Ford"},
		"Mercedes C-Class, built in 2012":        {"Mercedes", "C-Class", 2012},
		"it was 1850 and 2150, part 2018000":     {},
		"Škoda? no, Citroën C3 2020":             {"Citroën", "C3", 2020},
		"my Toyota Corolla, not the Honda Civic": {Make: "Toyota", Model: "Corolla"},
	} {
		if got := readCar(text); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

func TestComplaints(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"it makes a RATTLING noise": "rattle", "the brakes squeak": "squeal", "my brakes grind": "grind", "the brakes are bad": "grind",
		"it won’t start": "start", "it doesn't start any more": "start", "the check engine light is on": "light", "a puddle below it": "leak",
		"something knocks": "clunk", "humming from the wheels": "hum", "it stalls": "rough", "it shakes": "rough", "hello": "", "a human": "",
	} {
		if got := complaintOf(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]verdict{
		"yes": yes, "Yes, please": yes, "OK": yes, "sure": yes, "please go ahead": yes, "do it": yes, "approved": yes, "y": yes,
		"no": no, "No thanks": no, "n": no, "please don't": no, "that is too expensive": no, "do not do it": no, "never mind": no,
		"how much?": unclear, "": unclear, "nothing": unclear, "yesterday": unclear, "norway": unclear,
	} {
		if got := readVerdict(text); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// What the manual wants replaced the supplier knows.
func TestData(t *testing.T) {
	t.Parallel()
	for _, p := range theManual().Procedures {
		if parts()[p.Part].Name == "" || p.Minutes <= 0 || len(p.Steps) == 0 || p.Problem == "" || (p.Code == "") == (p.Complaint == "") {
			t.Errorf("%+v", p)
		}
		if p.Complaint != "" && describe(p.Complaint) == p.Complaint {
			t.Errorf("nobody complains about %q", p.Complaint)
		}
	}
	for id, codes := range theManual().Vehicles {
		for _, code := range codes {
			if _, p, err := lookUp(t.Context(), nil, manualArguments{ErrorCode: code}); err != nil || p.Problem == "" {
				t.Errorf("%s has %s: %v", id, code, err)
			}
		}
	}
}

func TestMoney(t *testing.T) {
	t.Parallel()
	var m Money
	if err := m.UnmarshalText([]byte("64.05")); err != nil || m != 64_05 || m.String() != "64.05" {
		t.Errorf("%v %v", m, err)
	}
	for _, text := range []string{"", "64", "64.5", "64.005", "-1.00", "1.-1", "9999999.00", "a.bc"} {
		if err := m.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is %v", text, m)
		}
	}
}

// Whatever customers write is read without harm.
func FuzzWords(f *testing.F) {
	f.Add("My Toyota Camry 2018 is making a rattling noise")
	f.Add("the brakes squeal at the rear for two weeks, yes")
	f.Fuzz(func(t *testing.T, text string) {
		c := answerCar(text, readCar(text))
		if c.Year != 0 && (c.Year < 1950 || c.Year > 2049) {
			t.Errorf("year %d", c.Year)
		}
		if id := complaintOf(text); id != "" && describe(id) == id {
			t.Errorf("complaint %q", id)
		}
		axleOf(text)
		readVerdict(text)
		if got := []rune(clean(text)); len(got) > maxWords+1 {
			t.Errorf("%d runes", len(got))
		}
	})
}
