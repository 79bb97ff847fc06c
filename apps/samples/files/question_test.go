// SPDX-License-Identifier: Apache-2.0

package files

import (
	"errors"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const sales = `date,city,product,price,units sold
2024-01-05,Oslo,Lamp,10,3
2024-01-06,Bergen,Lamp,12.5,1
2024-01-07,Oslo,Chair,49.9,2
2024-02-01,New York,Table,120,
2024-02-03,Bergen,Chair,,4
`

func table(t testing.TB, text string) *Table {
	t.Helper()
	parsed, err := ParseCSV(text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestQuestions(t *testing.T) {
	t.Parallel()
	parsed := table(t, sales)
	for question, want := range map[string]string{
		"How many rows are there?":                              "There are 5 rows.",
		"how many rows":                                         "There are 5 rows.",
		"number of records":                                     "There are 5 rows.",
		"count":                                                 "There are 5 rows.",
		"total rows":                                            "There are 5 rows.",
		"average of price by city":                              "The average price by city:\nBergen: 12.5\nNew York: 120\nOslo: 29.95",
		"What is the average price per city?":                   "The average price by city:\nBergen: 12.5\nNew York: 120\nOslo: 29.95",
		"average price":                                         "The average price is 48.1.",
		"What's the mean of the prices?":                        "The average price is 48.1.",
		"max of price":                                          "The highest price is 120.",
		"What is the highest price?":                            "The highest price is 120.",
		"lowest price in Oslo":                                  "The lowest price where city = Oslo is 10.",
		"Which city has the highest price?":                     "The highest price is 120 (city: New York).",
		"which product has the lowest price":                    "The lowest price is 10 (product: Lamp).",
		"total units sold":                                      "The sum of units sold is 10.",
		"sum of units_sold by product":                          "The sum of units sold by product:\nChair: 6\nLamp: 4\nTable: without a value",
		"median price":                                          "The median price is 31.2.",
		"how many cities are there":                             "The number of different values of city is 3.",
		"How many different products?":                          "The number of different values of product is 3.",
		"unique products":                                       "The values of product, and how often each is there:\nChair: 2\nLamp: 2\nTable: 1",
		"most common city":                                      "The values of city, and how often each is there:\nBergen: 2\nOslo: 2\nNew York: 1",
		"how many rows with price above 12":                     "There are 3 rows where price > 12.",
		"how many rows where price >= 12.5":                     "There are 3 rows where price >= 12.5.",
		"how many rows where the price is at least 49.9?":       "There are 2 rows where price >= 49.9.",
		"how many rows where price is between 12 and 50":        "There are 2 rows where price >= 12 and price <= 50.",
		"how many rows where city is not Oslo":                  "There are 3 rows where city != Oslo.",
		`how many rows where city = "new york"`:                 "There is 1 row where city = new york.",
		"average price in New York":                             "The average price where city = New York is 120.",
		"average price of lamps in Oslo":                        "The average price where product = Lamp and city = Oslo is 10.",
		"total units sold for Chair in Bergen":                  "The sum of units sold where product = Chair and city = Bergen is 4.",
		"average price in Oslo or Bergen":                       "The average price where city = Oslo or Bergen is 24.1333333333.",
		"minimum and maximum price":                             "Rows: 5. Columns: 5.\nprice (number): min 10, max 120, mean 48.1, median 31.2, sum 192.4, 1 missing",
		"list all cities":                                       "The values of city, and how often each is there:\nBergen: 2\nOslo: 2\nNew York: 1",
		"show me everything":                                    "5 of 5 rows:\ndate: 2024-01-05, city: Oslo, product: Lamp, price: 10, units sold: 3\ndate: 2024-01-06, city: Bergen, product: Lamp, price: 12.5, units sold: 1\ndate: 2024-01-07, city: Oslo, product: Chair, price: 49.9, units sold: 2\ndate: 2024-02-01, city: New York, product: Table, price: 120\ndate: 2024-02-03, city: Bergen, product: Chair, units sold: 4",
		"total units sold on 2024-01-05":                        "The sum of units sold where date = 2024-01-05 is 3.",
		"total number of rows":                                  "There are 5 rows.",
		"max price of Table":                                    "The highest price where product = Table is 120.",
		"bottom 1 rows by price":                                "1 of 5 rows:\ndate: 2024-01-05, city: Oslo, product: Lamp, price: 10, units sold: 3",
		"count by city":                                         "The number of rows by city:\nBergen: 2\nNew York: 1\nOslo: 2",
		"how many rows per product":                             "The number of rows by product:\nChair: 2\nLamp: 2\nTable: 1",
		"latest date":                                           "The highest date is 2024-02-03.",
		"how many rows where date > 2024-01-31":                 "There are 2 rows where date > 2024-01-31.",
		"missing values":                                        "Rows: 5. Columns: 5.\ndate: 0 missing\ncity: 0 missing\nproduct: 0 missing\nprice: 1 missing\nunits sold: 1 missing",
		"how many missing values in price":                      "Missing values of price: 1.",
		"columns":                                               "Rows: 5. Columns: 5.\ndate: date\ncity: text\nproduct: text\nprice: number\nunits sold: integer",
		"which columns does it have?":                           "Rows: 5. Columns: 5.\ndate: date\ncity: text\nproduct: text\nprice: number\nunits sold: integer",
		"how many columns":                                      "Rows: 5. Columns: 5.\ndate: date\ncity: text\nproduct: text\nprice: number\nunits sold: integer",
		"statistics of price":                                   "Rows: 5. Columns: 5.\nprice (number): min 10, max 120, mean 48.1, median 31.2, sum 192.4, 1 missing",
		"describe price":                                        "Rows: 5. Columns: 5.\nprice (number): min 10, max 120, mean 48.1, median 31.2, sum 192.4, 1 missing",
		"price":                                                 "Rows: 5. Columns: 5.\nprice (number): min 10, max 120, mean 48.1, median 31.2, sum 192.4, 1 missing",
		"top 2 rows by price":                                   "2 of 5 rows:\ndate: 2024-02-01, city: New York, product: Table, price: 120\ndate: 2024-01-07, city: Oslo, product: Chair, price: 49.9, units sold: 2",
		"show the first 1 rows":                                 "1 of 5 rows:\ndate: 2024-01-05, city: Oslo, product: Lamp, price: 10, units sold: 3",
		"show rows where product is Table":                      "1 of 1 rows where product = Table:\ndate: 2024-02-01, city: New York, product: Table, price: 120",
		"lowest price by product where units sold less than 10": "The lowest price by product where units sold < 10:\nChair: 49.9\nLamp: 10",
	} {
		t.Run(question, func(t *testing.T) {
			t.Parallel()
			q, err := ParseQuestion(question, parsed)
			if err != nil {
				t.Fatalf("%v", err)
			}
			got := Compute(q, parsed).Say()
			if got != want {
				t.Errorf("%+v\n%s\nwant\n%s", q, got, want)
			}
		})
	}
}

func TestUnclearQuestions(t *testing.T) {
	t.Parallel()
	parsed := table(t, sales)
	for question, want := range map[string]string{
		"average by city":                "Of which column: price or units sold?",
		"average city":                   "city has no numbers. Which column do you mean: price or units sold?",
		"what about it?":                 "Ask for statistics, how many rows there are, the average price",
		"tell me a joke":                 `"joke" is neither a column of the file nor a value in it. Ask for statistics`,
		"average price in Paris":         `"paris" is neither`,
		"how many rows after 2024-01-31": `"2024-01-31" is neither`,
		"unique values":                  "Of which column: date, city, product, price or units sold?",
		"top 3":                          "By which column: price or units sold?",
	} {
		_, err := ParseQuestion(question, parsed)
		if u, ok := errors.AsType[*unclear](err); !ok || !strings.HasPrefix(u.text, want) {
			t.Errorf("%q: %v, want %q", question, err, want)
		}
	}
}
