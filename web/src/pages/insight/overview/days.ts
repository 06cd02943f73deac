export const overviewDays = 30;

/** Whole weeks, so that both days are the same weekday. */
export const daysCompared = 7 * Math.round(overviewDays / 7);
