; a pulse along a slab of dielectric, 3D: 64 x 64 x 32 cells, 160 steps
(set! geometry-lattice (make lattice (size 16 16 8)))
(set! geometry (list (make block (center 0 0 0) (size infinity 1 infinity)
                           (material (make dielectric (epsilon 12))))))
(set! sources (list (make source (src (make gaussian-src (frequency 0.15) (fwidth 0.1)))
                          (component Ez) (center -5 0))))
(set! pml-layers (list (make pml (thickness 1.0))))
(set! resolution 4)
(run-until 20)
