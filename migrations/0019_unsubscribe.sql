-- Stands in the unsubscribe links of alert mails, made for the first of them; a changed email address resets it.
alter table members add column unsubscribe_secret text;
