// placeholder until this family is written
