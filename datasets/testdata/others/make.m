X = [1 2; 3 4.5; 5 6]; names = {'ann'; 'bob'; 'li'}; st.a = 1;
save -v7 octave.mat X names st
save -hdf5 octave.h5 X names
save -text octave.txt X % its first line was cut short by hand
