// SPDX-License-Identifier: Apache-2.0
export const marked: { lexer(text: string, options: { gfm: boolean, breaks: boolean }): any[] };
