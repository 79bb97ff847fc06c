// SPDX-License-Identifier: Apache-2.0
import { h } from "preact";
import htm from "htm";

export { Fragment, createRef, h, render } from "preact";
export { useEffect, useMemo, useRef, useState } from "preact/hooks";
export { batch, computed, effect, signal, useComputed, useSignal } from "@preact/signals";
export const html = htm.bind(h);
