// SPDX-License-Identifier: Apache-2.0
// What pages say, as text that cannot be taken for something else.

/**
 * plain returns a text with those characters as escapes that do not show and make others look like something else: they
 * turn the direction of writing, or are controls.
 * @param {unknown} text
 */
export const plain = (text) => String(text ?? "").replace(
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
  (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));

/** clip returns a text with at most so many characters. @param {unknown} text @param {number} most */
export const clip = (text, most) => {
  const all = [...plain(text)];
  return all.length > most ? all.slice(0, most - 1).join("") + "…" : all.join("");
};

/** size returns a number of bytes as people write it. @param {number} bytes */
export function size(bytes) {
  const units = ["B", "KB", "MB", "GB"];
  let unit = 0;
  for (; bytes >= 1000 && unit < units.length - 1; unit++) bytes /= 1000;
  return `${unit && bytes < 10 ? bytes.toFixed(1) : Math.round(bytes)} ${units[unit]}`;
}

/** took returns a number of milliseconds as people write it. @param {number} ms */
export const took = (ms) => ms < 1000 ? `${Math.round(ms)} ms` : ms < 60_000 ? `${(ms / 1000).toFixed(1)} s` :
  `${Math.floor(ms / 60_000)} min ${Math.round(ms % 60_000 / 1000)} s`;

/** clock returns a time of day, with the date unless that is today's. @param {string | number | Date} t */
export function clock(t) {
  const at = new Date(t);
  if (Number.isNaN(at.valueOf())) return plain(t);
  return at.toDateString() === new Date().toDateString() ? at.toLocaleTimeString() : at.toLocaleString();
}

/**
 * webLink returns the address if it is one that a person may be sent to; "" for scripts, files and broken ones.
 * @param {unknown} address
 */
export function webLink(address) {
  try {
    const url = new URL(String(address));
    return url.protocol === "https:" || url.protocol === "http:" || url.protocol === "mailto:" ? url.href : "";
  } catch {
    return "";
  }
}
