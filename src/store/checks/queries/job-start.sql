-- When the job of a row began, in seconds: an expression over `row_start` and `row_report` (`start` and `report` of the row) and
-- `jobs`, those of the own rows of its check on its commit. Rows may carry start times of their own. A row belongs to the
-- latest job that had begun: of those with its report, else of any. A row without one is a job of its own.
arrayFirst(
    job -> job.1 <= row_start,
    arrayPushBack(
        arrayReverseSort(job -> (job.2 != 0 AND job.2 = row_report, job.1), jobs),
        (row_start, row_report))).1
