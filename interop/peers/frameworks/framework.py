# SPDX-License-Identifier: Apache-2.0
"""What the programs of the frameworks share: what their clients say to Dragoman's sample agents, and the words of their own agents.

A client program defines a class with a coroutine method say(words), which returns a Said, and calls play with it. An agent
program gives its framework a model that answers with answer."""

import asyncio
import base64
import json
import sys

import run

AGENT = "Currency"
DESCRIPTION = "Converts amounts of money between currencies, and looks at pictures"
SKILL = "Currency conversion, such as 100 USD in GBP"
PNG = b"\x89PNG\r\n\x1a\n"


class Said:
    """What a user of the framework sees of one answer."""

    def __init__(self):
        self.texts, self.chunks, self.data, self.files = [], [], [], []

    @property
    def text(self):
        return "\n".join(self.texts)

    def __str__(self):
        return f"texts {self.texts}, {len(self.chunks)} chunks, data {self.data}, {len(self.files)} files"


def urls():
    """Returns the URLs of Dragoman's sample agents by their names."""
    if len(sys.argv) != 2:
        sys.exit('usage: client.py {"currency": "URL", "expenses": "URL", "images": "URL", "coder": "URL"}')
    return json.loads(sys.argv[1])


def play(talk):
    """Plays all scenarios; talk(url) begins a conversation with the agent at a URL."""
    at = urls()

    async def currency():
        said = await talk(at["currency"]).say("100 USD in GBP")
        run.check("77.252 GBP" in said.text, said)

    async def question():
        conversation = talk(at["currency"])
        asked = await conversation.say("How much is 1 USD?")
        run.check("which currency" in asked.text and "0.77" not in asked.text, "the question is", asked)
        said = await conversation.say("GBP")
        run.check("0.77252 GBP" in said.text, "the answer is", said)
        run.check("which currency" not in said.text, "the old question comes with the answer:", said)

    async def expenses():
        conversation = talk(at["expenses"])
        asked = await conversation.say("reimburse lunch for 20 USD")
        forms = [d["form_data"] for d in asked.data if d.get("type") == "form"]
        run.check([f["amount"] for f in forms] == ["20 USD"], "the form is", asked)
        said = await conversation.say("it was on 2026-01-05")
        run.check("approved" in said.text, "the answer is", said)

    async def images():
        said = await talk(at["images"]).say("a white rabbit in the snow at night")
        run.check(said.files and all(f.startswith(PNG) for f in said.files), said)  # previews come first
        return f"{len(said.files[-1])} bytes"

    async def coder():
        said = await talk(at["coder"]).say("fibonacci in Go with tests")
        text = "".join(said.chunks) or said.text
        for once in ("func main()", "func Fibonacci(", "func TestFibonacci("):
            run.check(text.count(once) == 1, f"{once} is there {text.count(once)} times in", text)
        return f"{len(said.chunks)} chunks"

    scenarios = {"currency": currency, "question": question, "expenses": expenses, "images": images, "coder": coder}
    asyncio.run(run.play(scenarios))


def content(file):
    """Returns the bytes of a file as the package a2a-sdk before 1.0 has it, which here is never a link."""
    return base64.b64decode(file.bytes)


def answer(said, pictures=()):
    """Returns what the scripted model of an agent answers: said are the user's messages, the last of them at the end."""
    last, before = said[-1], " ".join(said[:-1])
    if pictures:
        return f"I see a picture of {len(pictures[-1])} bytes."
    if "100 USD" in last:
        return "100 USD = 77.252 GBP"
    if "GBP" in last and "1 USD" in before:
        return "1 USD = 0.77252 GBP"
    if "1 USD" in last:
        return "Into which currency should I convert 1 USD?"
    return "What should I convert?"
