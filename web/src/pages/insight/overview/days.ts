/** Days of the overview's sums; those before them are compared with. */
export const overviewDays = 30;

/** Days that lie between a day and the one that it is compared with: whole weeks, so that both are of one weekday. */
export const daysCompared = 7 * Math.round(overviewDays / 7);
