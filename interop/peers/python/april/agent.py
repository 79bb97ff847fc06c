# SPDX-License-Identifier: Apache-2.0
"""The probe agent of A2A as of April 2025, written from the documents of that month: JSON-RPC over HTTP and nothing else."""

import json
import sys
import threading
import time
import uuid
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PORT = int(sys.argv[1])
CARD = {
    "name": "Probe", "description": "The probe agent of April 2025", "version": "1.0.0", "url": f"http://127.0.0.1:{PORT}/",
    "capabilities": {"streaming": True, "pushNotifications": False}, "authentication": {"schemes": []},
    "defaultInputModes": ["text/plain"], "defaultOutputModes": ["text/plain"],
    "skills": [{"id": "probe", "name": "Probe", "description": "hello, count, ask, slow, echo", "tags": ["test"]}],
}


class Refusal(Exception):
    """An error to answer with."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


def text(words):
    return {"type": "text", "text": words}


def artifact(*parts, **chunk):
    return {"artifact": {"parts": list(parts), "index": 0, **chunk}}


def status(state, words=None):
    now = {"state": state, "timestamp": datetime.now().isoformat()}  # without an offset, as the documents show
    if words:
        now["message"] = {"role": "agent", "parts": [text(words)]}
    return {"status": now, "final": state != "working"}


def turn(message, asked):
    """Does what the first part of the message says: yields events, of which the last is final."""
    word = message["parts"][0].get("text")
    if asked:
        yield artifact(text(f"You said: {word}"))
    elif word == "hello":
        yield artifact(text("Hello!"))
    elif word == "count":
        yield artifact(text("1 "), append=False, lastChunk=False)
        yield artifact(text("2 "), append=True, lastChunk=False)
        yield artifact(text("3"), append=True, lastChunk=True)
    elif word == "ask":
        return (yield status("input-required", "Which colour?"))
    elif word == "slow":
        for step in range(300):
            yield status("working", f"step {step}")
            time.sleep(0.1)
        return (yield status("failed", "nobody cancelled the task"))
    elif word == "echo":
        yield artifact(*message["parts"][1:])
    else:  # April has no state for tasks that are rejected
        return (yield status("failed", "say hello, count, ask, slow or echo"))
    yield status("completed")


class Task:
    """A task and its events, for any number of readers."""

    def __init__(self, params):
        self.id, self.session = params["id"], params.get("sessionId") or uuid.uuid4().hex
        self.status, self.artifacts, self.history, self.events = {"state": "submitted"}, [], [], []
        self.changed = threading.Condition()

    def begin(self, message):
        """Starts a turn and returns the position of its first event."""
        with self.changed:
            if self.status["state"] == "working":
                raise Refusal(-32602, "the task is at work")
            asked = self.status["state"] == "input-required"
            position = len(self.events)
            self.history.append(message)
            self.publish(status("working"))
        threading.Thread(target=self.run, args=[turn(message, asked)], daemon=True).start()
        return position

    def run(self, events):
        for event in events:
            with self.changed:
                if self.status["state"] != "working":  # cancelled
                    return
                self.publish(event)

    def publish(self, event):
        """Folds an event in and tells it to the readers; the caller holds the lock."""
        if "status" in event:
            if "message" in self.status:
                self.history.append(self.status["message"])
            self.status = event["status"]
        elif event["artifact"].get("append"):
            self.artifacts[-1]["parts"] += event["artifact"]["parts"]
        else:
            self.artifacts.append({"parts": event["artifact"]["parts"][:], "index": 0})
        self.events.append({"id": self.id, **event})
        self.changed.notify_all()

    def follow(self, position):
        """Yields the events from a position on to the final one."""
        while True:
            with self.changed:
                self.changed.wait_for(lambda: len(self.events) > position)
                event = self.events[position]
            yield event
            position += 1
            if event.get("final"):
                return

    def show(self, length=None):
        with self.changed:
            shown = {"id": self.id, "sessionId": self.session, "status": self.status, "metadata": {}}
            if self.artifacts:
                shown["artifacts"] = self.artifacts
            if length:
                shown["history"] = self.history[-length:]
            return shown

    def cancel(self):
        with self.changed:
            if self.status["state"] in ("completed", "canceled", "failed"):
                raise Refusal(-32002, "Task cannot be canceled")
            self.publish(status("canceled"))

    def end(self):
        """Returns the position after all events, of a task that will have more."""
        with self.changed:
            if self.status["state"] != "working":
                raise Refusal(-32004, "the task is not at work")
            return len(self.events)


tasks = {}


def existing(params):
    if not isinstance(params, dict) or not isinstance(params.get("id"), str):
        raise Refusal(-32602, "Invalid params")
    if params["id"] not in tasks:
        raise Refusal(-32001, "Task not found")
    return tasks[params["id"]]


def begin(params):
    try:
        if not params["message"]["parts"]:
            raise Refusal(-32602, "a message has parts")
        task = tasks.setdefault(params["id"], Task(params))
        return task, task.begin(params["message"])
    except (KeyError, TypeError) as e:
        raise Refusal(-32602, "Invalid params") from e


def send(params):
    task, position = begin(params)
    for _ in task.follow(position):
        pass
    return task.show(params.get("historyLength"))


def send_subscribe(params):
    task, position = begin(params)
    return task.follow(position)


def get(params):
    return existing(params).show(params.get("historyLength"))


def cancel(params):
    task = existing(params)
    task.cancel()
    return task.show()


def resubscribe(params):
    task = existing(params)
    return task.follow(task.end())


def no_push(_):
    raise Refusal(-32003, "Push notifications not supported")


CALLS = {
    "tasks/send": send, "tasks/get": get, "tasks/cancel": cancel,
    "tasks/pushNotification/set": no_push, "tasks/pushNotification/get": no_push,
}
STREAMS = {"tasks/sendSubscribe": send_subscribe, "tasks/resubscribe": resubscribe}


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        """Says nothing."""

    def answer(self, body):
        content = json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_GET(self):
        if self.path != "/.well-known/agent.json":
            return self.send_error(404)
        self.answer(CARD)

    def do_POST(self):
        request_id = None
        try:
            request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if not isinstance(request, dict):
                raise Refusal(-32600, "Invalid Request")
            request_id, method, params = request.get("id"), request.get("method"), request.get("params")
            if method in STREAMS:
                return self.stream(request_id, STREAMS[method](params))
            if method not in CALLS:
                raise Refusal(-32601, "Method not found")
            self.answer({"jsonrpc": "2.0", "id": request_id, "result": CALLS[method](params)})
        except json.JSONDecodeError:
            self.answer({"jsonrpc": "2.0", "id": None, "error": {"code": -32700, "message": "JSON parse error"}})
        except Refusal as e:
            self.answer({"jsonrpc": "2.0", "id": request_id, "error": {"code": e.code, "message": str(e)}})

    def stream(self, request_id, events):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        try:
            for event in events:
                self.wfile.write(f"data: {json.dumps({'jsonrpc': '2.0', 'id': request_id, 'result': event})}\n\n".encode())
        except ConnectionError:  # the reader is gone; the task works on
            return


server = ThreadingHTTPServer(("127.0.0.1", PORT), Handler)
print("ready", flush=True)
server.serve_forever()
