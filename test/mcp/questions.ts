/**
 * What an author, a maintainer and an on-call engineer ask of the five pull requests of the demo, with the right answers: written down
 * from the reports, the queue and the ledger before there was a tool to ask.
 */
export const QUESTIONS = {
  author: {
    'Which benchmark is slower in #2?': 'orders_join #2',
    'From what to what did it go, in seconds?': [0.019094059, 0.037129128],
    'Is each new repetition of it slower than each old one?': false,
    'Which function that #2 changes grew in its profile?': 'hashCompositeKey',
    'Which failing test of #3 is new there?': '03999_my_new_test',
    'What is 03207_keeper_reconnects in #3?': 'flaky',
    'From what does "Cannot start clickhouse-server" in #3 follow?':
      "Logical error 'Unexpected exception in refresh scheduling' (STID: 2508-3e7b)",
    'Both slower queries of #4: are they of this change?': ['already-on-trunk', 'already-on-trunk'],
    'What is to be done about #4?': 'Nothing to do.',
    'How does the check of #5 conclude, and how many rows are open?': ['success', 0],
  },
  maintainer: {
    'How many queries of #1 got slower, and which is the worst?': [7, 'hash_functions #1'],
    'How does the check of #1 conclude?': 'neutral',
    'Which rows of #1 need another run?': ['dates #3', 'string_functions #0'],
    'How many failing tests of #3 look like its own, and how many are known?': [2, 4],
    'In how many unrelated pull requests did "Hung check failed" fail in 30 days?': 213,
    'Is 03999_my_new_test a known failure?': false,
  },
  'on-call engineer': {
    'What waits in the queue?': ['failing-test', 'failing-test', 'trunk-step'],
    'Which commit made orders_sort #1 slower on the main branch, of which pull request?': [
      'Rows of one value keep their order (#415)',
      415,
    ],
    'How large is that step?': 0.26374253587948626,
    'With how many repetitions a side would a build of it show the step of orders_sort #0?': 12,
  },
} as const
