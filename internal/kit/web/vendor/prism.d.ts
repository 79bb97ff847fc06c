// SPDX-License-Identifier: Apache-2.0
declare const Prism: { languages: Record<string, any>, tokenize(text: string, grammar: any): any[] };
export default Prism;
