-- Why the email with the link was not sent; null if it was, or none was asked for.
alter table invitations add column mail_error text;
