// SPDX-License-Identifier: Apache-2.0

// What the clients share: each scenario runs with a deadline and becomes one line of JSON on standard output.

import { isDeepStrictEqual } from 'node:util';

const deadline = 20_000; // milliseconds of one scenario

// What the scenarios say to the sample agent currency and to the probe agent.
export const say = {
  amount: '100 USD in GBP', result: '77.252', question: 'How much is 1 USD?', answer: 'GBP', slow: 'slow', echo: 'echo',
  bytes: Buffer.from('\x00\x01binary\xff', 'latin1'), bytesType: 'application/octet-stream', bytesName: 'blob.bin',
  link: 'https://example.com/photo.png', linkType: 'image/png', linkName: 'photo.png',
  data: { name: 'Ada', nested: { list: [1, 'two', true, null] } },
  unknown: '01a1fd5d-0000-7000-8000-000000000000', webhook: 'https://example.com/hook',
};

/** The SDK has no way to do what a scenario needs. */
export class NotOffered extends Error {}

/** Gets an access token for a program from the OpenID provider whose configuration is at a URL. */
export async function token(configuration) {
  const provider = await (await fetch(configuration)).json();
  const answer = await fetch(provider.token_endpoint, {
    method: 'POST', body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'openid' }),
    headers: { Authorization: `Basic ${btoa('sid1:verysecret')}` },
  });
  check(answer.ok, 'the provider refuses with', answer.status);
  return (await answer.json()).access_token;
}

/** Fails the scenario unless truth holds. */
export function check(truth, ...detail) {
  if (!truth) throw new Error(detail.map((d) => (typeof d === 'string' ? d : JSON.stringify(d))).join(' '));
}

/** Compares a data part with what was sent. */
export function sameData(got) {
  check(isDeepStrictEqual(got, say.data), 'the data part came back as', got);
}

/** Expects call to fail with an error that is refusal to the predicate. */
export async function refused(call, refusal) {
  let result;
  try {
    result = await call();
  } catch (e) {
    check(refusal(e), `refused with ${e.name}: ${e.message}`);
    return;
  }
  check(false, 'a refusal was expected, not', result);
}

/** Collects what an async iterable yields. */
export async function all(events) {
  const list = [];
  for await (const e of events) list.push(e);
  return list;
}

function limit(promise) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no end within ${deadline} ms`)), deadline);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Runs the scenarios, an object of async functions, in their order, and ends the process. */
export async function play(scenarios) {
  for (const [scenario, run] of Object.entries(scenarios)) {
    const line = { scenario, ok: true, detail: '' };
    try {
      line.detail = (await limit(run())) ?? '';
    } catch (e) {
      console.error(e);
      line.ok = false;
      line.absent = e instanceof NotOffered;
      line.detail = `${e.name}: ${e.message}`.slice(0, 600);
    }
    console.log(JSON.stringify(line));
  }
  process.exit(0);
}

/** Returns the URL of currency, that of the probe, and the transport. */
export function parameters() {
  if (process.argv.length !== 5) {
    console.error('usage: client.mjs CURRENCY-URL PROBE-URL TRANSPORT');
    process.exit(2);
  }
  return process.argv.slice(2);
}
