"""The screens: one file each. ``shared`` is what every screen stands in, ``parts`` pieces of single
screens."""
