// SPDX-License-Identifier: Apache-2.0
// Forms that agents ask to be filled: a JSON Schema of the answer, with the values that are known.

import { html, useState } from "./vendor/preact.js";
import { plain } from "./text.js";

/** @typedef {{ type?: string | string[], title?: string, description?: string, format?: string, enum?: any[], default?: any, examples?: any[], readOnly?: boolean, items?: any,
 *   minimum?: number, maximum?: number, maxLength?: number, pattern?: string }} Schema */
/** @typedef {{ form: { properties?: Record<string, Schema>, required?: string[] }, form_data?: Record<string, any>, instructions?: string, errors?: Record<string, string> }} FormDocument */

/** isBlank reports whether a value stands for none: agents write null, "" or a placeholder in angle brackets. @param {any} v */
const isBlank = (v) => v === undefined || v === null || typeof v === "string" && (v.trim() === "" || /^<.*>$/.test(v.trim()));

/** typeOf returns the type of a schema that is not null. @param {Schema} s */
const typeOf = (s) => [s.type].flat().find((t) => t && t !== "null") || "";

/** Types of input elements by the format of a text. @type {Record<string, string>} */
const inputs = { date: "date", time: "time", "date-time": "datetime-local", "datetime-local": "datetime-local", email: "email",
  uri: "url", url: "url", color: "color", password: "password", month: "month", week: "week", tel: "tel" };

/**
 * FormView draws a form. It tells send the values, and cancel that the person does not want to fill it.
 * @param {{ form: FormDocument, send: (values: Record<string, any>) => void, cancel: () => void, busy: boolean }} props
 */
export function FormView({ form, send, cancel, busy }) {
  const properties = Object.entries(form.form.properties || {}).filter(([, s]) => typeof s === "object" && s !== null);
  const required = new Set(form.form.required || []);
  const [texts, setTexts] = useState(() => Object.fromEntries(properties.map(([name, s]) => [name, shown(known(form, name, s), s)])));
  const [problems, setProblems] = useState(/** @type {Record<string, string>} */ (form.errors || {}));
  const submit = (/** @type {Event} */ e) => {
    e.preventDefault();
    /** @type {Record<string, any>} */
    const values = {}, wrong = /** @type {Record<string, string>} */ ({});
    for (const [name, s] of properties) {
      if (s.readOnly) {
        if (!isBlank(form.form_data?.[name])) values[name] = form.form_data?.[name];
        continue;
      }
      const value = read(texts[name], s);
      if (value instanceof Error) wrong[name] = value.message;
      else if (!isBlank(value)) values[name] = value;
      else if (required.has(name)) wrong[name] = "This is needed.";
    }
    setProblems(wrong);
    if (!Object.keys(wrong).length) return send(values);
    /** @type {any} */ (e.target).elements[Object.keys(wrong)[0]]?.focus();
  };
  return html`<form class="panel stack" onSubmit=${submit} noValidate>
    ${form.instructions && html`<p>${plain(form.instructions)}</p>`}
    ${properties.map(([name, s]) => html`<${FieldView} key=${name} name=${name} schema=${s} text=${texts[name]} problem=${problems[name]} must=${required.has(name)}
      change=${(/** @type {any} */ text) => setTexts((before) => ({ ...before, [name]: text }))} />`)}
    <div class="row"><button class="primary" disabled=${busy}>Submit</button><button type="button" class="ghost" disabled=${busy} onClick=${cancel}>Cancel the task</button></div>
  </form>`;
}

/** @param {FormDocument} form @param {string} name @param {Schema} s */
const known = (form, name, s) => !isBlank(form.form_data?.[name]) ? form.form_data?.[name] : isBlank(s.default) ? undefined : s.default;

/** shown returns a value as the text of its field. @param {any} value @param {Schema} s */
const shown = (value, s) => typeOf(s) === "boolean" ? value === true : value === undefined ? "" :
  Array.isArray(value) && value.every((v) => typeof v === "string" && !v.includes(",")) ? value.join(", ") : typeof value === "object" ? JSON.stringify(value) : String(value);

/**
 * read returns the value that a field's text stands for, or what is wrong with it.
 * @param {any} text @param {Schema} s
 */
function read(text, s) {
  if (typeof text === "boolean") return text;
  text = text.trim();
  if (text === "") return undefined;
  if (s.enum) return s.enum.find((v) => String(v) === text) ?? text;
  const number = Number(text);
  switch (typeOf(s)) {
    case "integer": return Number.isInteger(number) ? number : new Error("This must be a whole number.");
    case "number": return Number.isFinite(number) ? number : new Error("This must be a number.");
    case "array":
      if (!text.startsWith("[")) return text.split(",").map((/** @type {string} */ v) => v.trim()).filter(Boolean);
  }
  if (!["array", "object"].includes(typeOf(s))) return text;
  try {
    return JSON.parse(text);
  } catch {
    return new Error("This must be JSON.");
  }
}

/** @param {{ name: string, schema: Schema, text: any, problem?: string, must: boolean, change: (text: any) => void }} props */
function FieldView({ name, schema, text, problem, must, change }) {
  const id = "field-" + name, described = [schema.description && schema.description !== schema.title && id + "-hint", problem && id + "-problem"].filter(Boolean).join(" ");
  const props = { id, name, disabled: schema.readOnly, "aria-invalid": problem ? "true" : undefined, "aria-describedby": described || undefined, "aria-required": must ? "true" : undefined };
  const hint = described.includes("-hint") && html`<span class="hint" id=${id + "-hint"}>${plain(schema.description)}</span>`;
  const trouble = problem && html`<span class="problem" id=${id + "-problem"}>${plain(problem)}</span>`;
  const label = plain(schema.title || name);
  if (typeOf(schema) === "boolean") {
    return html`<div class="field"><label class="check"><input type="checkbox" ...${props} checked=${text} onChange=${(/** @type {any} */ e) => change(e.target.checked)} /> ${label}</label>${hint}${trouble}</div>`;
  }
  const write = (/** @type {any} */ e) => change(e.target.value), example = isBlank(schema.examples?.[0]) ? "" : plain(schema.examples?.[0]);
  const type = ["integer", "number"].includes(typeOf(schema)) ? "text" : inputs[schema.format || ""] || "text";
  const control = schema.enum ? html`<select ...${props} value=${text} onChange=${write}>${text !== "" && must ? null : html`<option value="">Choose…</option>`}
      ${schema.enum.map((v) => html`<option value=${String(v)}>${plain(v)}</option>`)}</select>` :
    typeOf(schema) === "object" || (schema.maxLength || 0) > 200 ? html`<textarea rows="3" ...${props} value=${text} onInput=${write}></textarea>` :
      html`<input type=${type} inputmode=${["integer", "number"].includes(typeOf(schema)) ? "decimal" : undefined} placeholder=${example} ...${props} value=${text} onInput=${write} />`;
  return html`<div class="field"><label class="name" for=${id}>${label}${must ? html` <span class="must" title="needed">*</span>` : ""}</label>${control}${hint}${trouble}</div>`;
}

/** Receipt shows what a form was answered with. @param {{ values: Record<string, any>, form?: FormDocument }} props */
export const Receipt = ({ values, form }) => html`<dl class="facts">${Object.entries(values).map(([name, v]) => html`<dt>${plain(form?.form.properties?.[name]?.title || name)}</dt>
  <dd>${typeof v === "object" ? plain(JSON.stringify(v)) : plain(v)}</dd>`)}</dl>`;
