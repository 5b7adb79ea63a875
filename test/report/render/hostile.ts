/** Names and texts that try to break out of their place. */
export const HOSTILE = [
  '`a` | b | c | **bold** <img src=x onerror=alert(1)>',
  '@octocat @acme/everyone fixes #12, GH-12, acme/database#12, 9c41d0e5b1f7a3c2d4e6f8091a2b3c4d5e6f7081',
  'https://evil.example/ www.evil.example mail@evil.example :tada: $x^2$ [a](https://evil.example) [^1] - [x] task',
  '\u202eabc\u2066 \u200b\u200d zero\u0000nul \ud800 lone \u0007bell',
  'line one\n| line | two |\n---\n===\n<!-- --> </details><details open> # heading',
  '````````` ticks ````` `` ` `',
  'backslash \\| pipe \\\\| pipes \\',
  'Z\u0300\u0301\u0302\u0303\u0304\u0305\u0306\u0307\u0308algo',
  '',
]
