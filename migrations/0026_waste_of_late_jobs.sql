-- Re-runs and superseded jobs are split in another way, so stored sums are made again. Those of removed runs stay.
update waste_units set version = '00000000-0000-0000-0000-000000000000';
