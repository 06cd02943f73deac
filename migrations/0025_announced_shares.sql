-- Plain names for what 0003 added: which shares of which amount a budget has announced in which period, and since when.
alter table alerts rename column told to announced;
alter table alerts rename column told_since to announced_since;
