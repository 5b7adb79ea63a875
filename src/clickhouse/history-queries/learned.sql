{{thresholds WHERE 1}}
